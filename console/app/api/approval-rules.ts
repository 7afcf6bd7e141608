/** Who decides on a deployment that waits for a second person, and what was decided, in words. Pure. */
import type {
  Deployers,
  Deployment,
  DeploymentApproval,
  Permissions,
  Preview,
  ProjectAccess,
  ProjectMember,
  Role,
  User,
} from "../../../sdk/src/generated/types.ts";
import { OPERATION_OF, reasonAgainst, type Target } from "./permission-words.ts";

/** Why a user must not decide on a deployment, whatever their role (`SECOND_PERSON_REQUIRED`); null: they may. */
export function reasonAgainstDecision(
  { startedBy }: Pick<Deployment, "startedBy">,
  userId: string,
): string | null {
  return startedBy === userId ? "You started it; a second person must approve." : null;
}

/** Whom an environment asks for. */
export function describeApprovers({ approvers }: Pick<DeploymentApproval, "approvers">): string {
  const who = approvers === "admin" ? "an admin" : "a developer or an admin";
  return `It takes ${who} of the project who did not start it.`;
}

/** The state of an approval, in words. @param name of the user who decided; null if no user has decided */
export function describeDecision(
  { status, isBypass }: Pick<DeploymentApproval, "status" | "isBypass">,
  name: string | null,
): string {
  const by = name === null ? "" : ` by ${name}`;
  const words: Readonly<Record<string, string>> = {
    WAITING: "Waits",
    APPROVED: isBypass ? `Begun${by} without a second person` : `Approved${by}`,
    REJECTED: `Rejected${by}`,
    TIMED_OUT: "Not approved in time",
    CANCELLED: "Cancelled while it waited",
    SUPERSEDED: "Replaced by a newer one while it waited",
  };
  return words[status] ?? status;
}

/**
 * Why the caller must not approve or reject a deployment; null: they may.
 * @param permissions in the environment that asks
 */
export function reasonAgainstApproval(
  permissions: Pick<Permissions, "operations" | "admins">,
  { approvers }: Pick<DeploymentApproval, "approvers">,
  { startedBy }: Pick<Deployment, "startedBy">,
  userId: string,
  target: Target,
): string | null {
  const against = (action: "approve deployments" | "protect environments") =>
    reasonAgainst(permissions, OPERATION_OF[action], target);
  const refusals = { deciding: against("approve deployments"), protecting: against("protect environments") };
  return chooseReason(refusals, { approvers }, { startedBy }, userId);
}

/** Why the caller must not decide, and why they must not protect environments; null: they may. */
export type Refusals = { readonly deciding: string | null; readonly protecting: string | null };

/** The same as `reasonAgainstApproval`, from the caller's refusals. */
export function chooseReason(
  refusals: Refusals,
  { approvers }: Pick<DeploymentApproval, "approvers">,
  deployment: Pick<Deployment, "startedBy">,
  userId: string,
): string | null {
  return reasonByRole(refusals, approvers) ?? reasonAgainstDecision(deployment, userId);
}

/**
 * Why the caller's role does not suffice to decide; null: it does.
 * @param approver the lowest role that may; of a preview, who it waits for
 */
export function reasonByRole(
  { deciding, protecting }: Refusals,
  approver: Preview["waitsFor"],
): string | null {
  // What admins of the project do is refused to others for the same reason.
  return deciding ?? (approver === "admin" ? protecting : null);
}

const RANKS: readonly Role[] = ["viewer", "developer", "admin"];

/** What decides who may approve: the users and their roles, and what project and environment ask for. */
export type Deciders = {
  readonly users: readonly Pick<User, "id" | "name" | "role" | "kind">[];
  readonly members: readonly Pick<ProjectMember, "userId" | "role">[];
  readonly access: ProjectAccess;
  /** The least role that may approve. */
  readonly approvers: Deployers;
  /** The least role that may deploy to the environment, which an approval needs too. */
  readonly deployers: Deployers;
  readonly startedBy: string | null;
};

/** The people who may approve, by name. The server's rule is `refusalOf` with the roles of the project. */
export function namesOfApprovers({
  users,
  members,
  access,
  approvers,
  deployers,
  startedBy,
}: Deciders): readonly string[] {
  const needed = approvers === "admin" || deployers === "admin" ? "admin" : "developer";
  const roles = new Map(members.map(({ userId, role }) => [userId, role]));
  const rankOf = ({ id, role }: Pick<User, "id" | "role">): number => {
    const own = RANKS.indexOf(roles.get(id) ?? "viewer");
    return role === "admin" || access === "organization" ? Math.max(own, RANKS.indexOf(role)) : own;
  };
  return users
    .filter((user) => user.kind === "person" && user.id !== startedBy)
    .filter((user) => rankOf(user) >= RANKS.indexOf(needed))
    .map(({ name }) => name)
    .toSorted((one, other) => one.localeCompare(other, "en"));
}

const NAMED_MOST = 4;

/** The people who may approve, in a sentence. @param own the name of the signed-in user, who is left out */
export function listApprovers(names: readonly string[], own: string | null): string {
  const others = names.filter((name) => name !== own);
  if (others.length === 0)
    return own === null ? "No other user has the role for it in this project." : "Only you may approve it.";
  const more = others.length - NAMED_MOST;
  const listed = more > 1 ? [...others.slice(0, NAMED_MOST), `${more} more`] : others;
  const last = listed.at(-1) ?? "";
  const all = listed.length === 1 ? last : `${listed.slice(0, -1).join(", ")} and ${last}`;
  return own === null ? `${all} may approve it.` : `${all} may approve it too.`;
}
