/** Who decides on a deployment that waits for a second person, and what was decided, in words. Pure. */
import type { Deployment, DeploymentApproval } from "../../../sdk/src/generated/types.ts";

/** Why a user must not decide on a deployment, whatever their role (`SECOND_PERSON_REQUIRED`); null: they may. */
export function reasonAgainstDecision(
  { startedBy }: Pick<Deployment, "startedBy">,
  userId: string,
): string | null {
  return startedBy === userId ? "You started it; a second person must approve." : null;
}

/** Whom an environment asks for. */
export function tellApprovers({ approvers }: Pick<DeploymentApproval, "approvers">): string {
  const who = approvers === "admin" ? "an admin" : "a developer or an admin";
  return `It takes ${who} of the project who did not start it.`;
}

/** The state of an approval, in words. @param name of the user who decided; null if no user has decided */
export function emitDecision(
  { status, isBypass }: Pick<DeploymentApproval, "status" | "isBypass">,
  name: string | null,
): string {
  const by = name === null ? "" : ` by ${name}`;
  const told: Readonly<Record<string, string>> = {
    WAITING: "Waits",
    APPROVED: isBypass ? `Begun${by} without a second person` : `Approved${by}`,
    REJECTED: `Rejected${by}`,
    TIMED_OUT: "Not approved in time",
    CANCELLED: "Cancelled while it waited",
    SUPERSEDED: "Replaced by a newer one while it waited",
  };
  return told[status] ?? status;
}
