import { HELD } from "../api/approvals.ts";
import { useLater } from "../api/query.ts";
import { paths } from "../paths.ts";

/** The number of pending items, by the address of the place in the navigation. */
export function usePending(): Readonly<Record<string, number>> {
  return { [paths.approvals()]: useLater(HELD).data?.deployments.length ?? 0 };
}
