/** The health of a project, from all its environments. Pure. */
import type { EnvironmentRow, LastDeployment, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { describeAttention } from "./attention.ts";

export type ProjectHealth = {
  /** A status of the API. */
  readonly status: string;
  readonly words: string;
  readonly tone: "good" | "busy" | "todo" | "bad" | "calm";
  /** The worst first. */
  readonly rank: number;
};

const RUNNING: readonly string[] = ["PENDING", "INPROGRESS", "BUILDING", "DEPLOYING"];

/** The newest deployment of all environments; null if there is none. */
export function newestDeployment(environments: readonly EnvironmentRow[]): LastDeployment | null {
  const all = environments.flatMap(({ lastDeployment }) => (lastDeployment === null ? [] : [lastDeployment]));
  return all.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0] ?? null;
}

/** Whether a project has a problem, is being deployed, or is live. */
export function healthOf({
  status,
  attention,
  environments,
}: Pick<ProjectRow, "status" | "attention" | "environments">): ProjectHealth {
  if (status === "DELETING") return { status, words: "Deleting", tone: "busy", rank: 2 };
  // Previews may fail: that is what they are for. Templates are not deployed.
  const lasting = environments.filter(({ isTemplate, templateId }) => !isTemplate && templateId === null);
  const last = newestDeployment(lasting);
  if (last !== null && RUNNING.includes(last.status))
    return { status: last.status, words: "Deploying", tone: "busy", rank: 2 };
  const isLasting = (id: string | null) => id === null || lasting.some((one) => one.id === id);
  if (attention.some((one) => isLasting(one.environmentId) && describeAttention(one).tone === "bad"))
    return { status: "ERROR", words: "Problem", tone: "bad", rank: 0 };
  const states = lasting.map(({ state }) => state);
  if (states.every((state) => state === "NOT_LIVE"))
    return { status: "NOT_LIVE", words: "Not live", tone: "calm", rank: 4 };
  if (states.some((state) => state !== "LIVE"))
    return { status: "PARTLY_LIVE", words: "Partly live", tone: "todo", rank: 1 };
  return { status: "LIVE", words: "Live", tone: "good", rank: 3 };
}
