import { read, useLater } from "../api/query.ts";
import { paths } from "../paths.ts";

/** Of more, the number is shown as this one. */
const COUNTED_MAX = 50;

/** The number of pending items, by the address of the place in the navigation. */
export function usePending(): Readonly<Record<string, number>> {
  const held = useLater(
    read("overview", "listDeployments", { status: "PENDING_APPROVAL", limit: COUNTED_MAX }),
  );
  return { [paths.approvals()]: held.data?.deployments.length ?? 0 };
}
