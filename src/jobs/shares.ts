import { createTally } from "../lib/pace/tally.ts";

/**
 * How many of a process's workers one cloud account and one organization may use. A call without an answer
 * holds its worker for seconds. So an account that does not answer uses up its own share from the first
 * second, and never the others'. (A bulkhead: Nygard, "Release It!".)
 *
 * Both limits are enforced twice. First, pg-boss skips their jobs when it fetches, so that a thousand waiting
 * jobs cost nothing: an account's jobs are one group, and a full organization's tier is closed. But concurrent
 * fetches do not see each other's jobs, so this process also returns what is too much
 * (`take`).
 */
export type Shares = {
  /**
   * For pg-boss, which reads it at every fetch: how many jobs of an account may run in all processes together,
   * and a zero for every organization that has used up its share of this process.
   */
  readonly limits: { readonly default: number; readonly tiers: Readonly<Record<string, number>> };
  /** False if there is no room; the job must be returned to the queue. */
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
  /** Without an account, the organization's work of this sort counts as one account. */
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
