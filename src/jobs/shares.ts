import { createTally } from "../lib/pace/tally.ts";

/**
 * What one cloud account, and what one organization, may hold of a process's workers. A call that is not
 * answered holds its worker for seconds; so an account that does not answer holds its own share from the
 * first second, and never what others need. (A bulkhead: Nygard, "Release It!".)
 *
 * Both limits are kept twice. pg-boss passes over their jobs when it fetches, so that a thousand that have
 * to wait cost nothing: an account's because they are one group, a full organization's because its tier is
 * closed. But fetches that run at the same moment do not see each other's jobs; of those this process
 * refuses what is too many (`take`).
 */
export type Shares = {
  /**
   * Of pg-boss, which reads it anew at every fetch: how many jobs of an account may run, over all
   * processes, and a zero for every organization that has its share of this one.
   */
  readonly limits: { readonly default: number; readonly tiers: Readonly<Record<string, number>> };
  /** False when there is no room; what was taken has to be given back. */
  take(holder: Holder): boolean;
  giveBack(holder: Holder): void;
};

type Holder = { readonly organizationId: string; readonly accountId: string | null };

/** @param slots how many jobs the process runs at the same time; at least 4 */
export function createShares(slots: number): Shares {
  const accountMax = Math.max(2, Math.floor((slots * 3) / 8));
  const organizationMax = Math.floor((slots * 3) / 4);
  const held = createTally();
  const closed: Record<string, number> = {};
  /** Where no account is used, the organization's work of that sort counts as one. */
  const accountOf = ({ organizationId, accountId }: Holder): string => accountId ?? `${organizationId}/`;

  return {
    limits: { default: accountMax, tiers: closed },
    take(holder) {
      const { organizationId } = holder;
      const account = accountOf(holder);
      if (held.of(organizationId) >= organizationMax || held.of(account) >= accountMax) return false;
      held.add(organizationId, 1);
      held.add(account, 1);
      if (held.of(organizationId) >= organizationMax) closed[organizationId] = 0;
      return true;
    },
    giveBack(holder) {
      held.add(holder.organizationId, -1);
      held.add(accountOf(holder), -1);
      delete closed[holder.organizationId];
    },
  };
}
