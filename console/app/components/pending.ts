import { HELD, WAITING_FORKS } from "../api/approvals.ts";
import { useLater } from "../api/query.ts";
import { paths } from "../paths.ts";

/** The number of pending items, by the address of the place in the navigation. */
export function usePending(): Readonly<Record<string, number>> {
  const held = useLater(HELD).data?.deployments.length ?? 0;
  const forks = useLater(WAITING_FORKS).data?.previews.length ?? 0;
  return { [paths.approvals()]: held + forks };
}
