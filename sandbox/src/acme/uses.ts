/** The uses of each CA's rate limits, kept for as long as they count. */
import { randomUUID } from "node:crypto";
import { getDomain } from "tldts";
import type { SandboxState } from "../state.ts";
import { leftOf, type LimitName, type Limits, LONGEST_WINDOW_MS, type Uses } from "./budget.ts";
import { bareName } from "./name-state.ts";

export type Use = {
  readonly directory: string;
  readonly kind: "order" | "certificate" | "failure";
  readonly name: string;
  readonly at: number;
  /** A renewal by ARI counts against no limit of certificates and orders. */
  readonly isExempt: boolean;
};

export type BudgetLeft = {
  readonly limit: LimitName;
  /** The registered domain or name that it is about; null for the account. */
  readonly of: string | null;
  readonly left: number;
  readonly count: number;
};

export type UseLog = {
  add(use: Use): void;
  of(directory: string, name: string): Uses;
  /** The account's budget, and each domain's and name's that has less than half left. */
  left(directory: string, limits: Limits, now: number): readonly BudgetLeft[];
};

/** The domain that the limits count by: the public suffix list with its private part. */
export function limitDomainOf(name: string): string {
  const bare = bareName(name);
  return getDomain(bare, { allowPrivateDomains: true, validateHostname: false }) ?? bare;
}

export function openUses(state: SandboxState, now: () => number): UseLog {
  const kept = state.collection<Use & { readonly id: string }>("acme-uses");
  const times = new Map<string, number[]>();
  const key = (directory: string, limit: LimitName, of = "") => `${directory} ${limit} ${of}`;
  const keysOf = ({ directory, kind, name, isExempt }: Use): readonly string[] => {
    if (kind === "failure") return [key(directory, "failures", name)];
    if (isExempt) return [];
    return kind === "order"
      ? [key(directory, "orders")]
      : [key(directory, "domain", limitDomainOf(name)), key(directory, "name", name)];
  };
  const index = (use: Use): void => {
    for (const at of keysOf(use)) {
      const list = times.get(at);
      if (list === undefined) times.set(at, [use.at]);
      else list.push(use.at);
    }
  };
  const present = [...kept.values()].toSorted((a, b) => a.at - b.at);
  for (const use of present) index(use);
  let prunedAt = now();

  function prune(): void {
    const oldest = now() - LONGEST_WINDOW_MS;
    if (prunedAt > now() - LONGEST_WINDOW_MS / 100) return;
    prunedAt = now();
    for (const use of kept.values()) if (use.at < oldest) kept.delete(use.id);
    for (const [at, list] of times) {
      const young = list.filter((time) => time >= oldest);
      if (young.length === 0) times.delete(at);
      else times.set(at, young);
    }
  }

  return {
    add(use) {
      prune();
      const id = randomUUID();
      kept.put(id, { ...use, id });
      index(use);
    },
    of: (directory, name) => ({
      orders: times.get(key(directory, "orders")) ?? [],
      domain: times.get(key(directory, "domain", limitDomainOf(name))) ?? [],
      name: times.get(key(directory, "name", name)) ?? [],
      failures: times.get(key(directory, "failures", name)) ?? [],
    }),
    left(directory, limits, now) {
      const found: BudgetLeft[] = [];
      const account = times.get(key(directory, "orders")) ?? [];
      found.push({
        limit: "orders",
        of: null,
        left: leftOf(account, limits.orders, now),
        count: limits.orders.count,
      });
      for (const limit of ["domain", "name", "failures"] as const) {
        const prefix = key(directory, limit);
        for (const [at, list] of times) {
          if (!at.startsWith(prefix)) continue;
          const left = leftOf(list, limits[limit], now);
          if (left < limits[limit].count / 2)
            found.push({ limit, of: at.slice(prefix.length), left, count: limits[limit].count });
        }
      }
      return found;
    },
  };
}
