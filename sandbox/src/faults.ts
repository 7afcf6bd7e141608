/** Faults that a person or a test asked for. They are kept in memory: a restart heals everything. */
import { Type } from "typebox";
import { closed } from "./protocol.ts";

/** The body of a request that sets a fault. */
export const faultBody = <O extends string, K extends string>(
  operations: readonly O[],
  kinds: readonly K[],
) =>
  closed({
    operation: Type.Enum<(O | "*")[]>([...operations, "*"]),
    kind: Type.Enum<K[]>([...kinds]),
    rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
  });

type Fault<O extends string, K extends string> = {
  readonly operation: O | "*";
  readonly kind: K;
  /** The share of calls that fail, from 0 to 1; 1 by default. */
  readonly rate?: number;
  /** The number of calls that fail before the fault ends; unlimited by default. */
  readonly count?: number;
};

/** A fault belongs to an owner: an organization, or a repository. A fault without one (null) affects all. */
export type Faults<O extends string, K extends string> = {
  /** Replaces the present fault of that operation. */
  set(fault: Fault<O, K>, owner?: string | null): void;
  /** Clears an owner's faults; without an owner, all faults. */
  clear(owner?: string | null): void;
  /**
   * The fault for this call of an owner, or null; counts the call. A fault of the operation takes precedence over a
   * fault of `*`.
   */
  strike(operation: O, owner?: string | null): K | null;
};

/** @param random from 0 up to 1, as `Math.random` */
export function createFaults<O extends string, K extends string>(random: () => number): Faults<O, K> {
  const active = new Map<string, { fault: Fault<O, K>; remaining: number }>();
  return {
    set(fault, owner = null) {
      active.set(keyOf(fault.operation, owner), {
        fault,
        remaining: fault.count ?? Number.POSITIVE_INFINITY,
      });
    },
    clear(owner = null) {
      for (const key of active.keys()) {
        if (owner === null || key.endsWith(keyOf("", owner))) active.delete(key);
      }
    },
    strike(operation, owner = null) {
      const owners = owner === null ? [null] : [owner, null];
      for (const key of owners.flatMap((one) => [keyOf(operation, one), keyOf("*", one)])) {
        const entry = active.get(key);
        if (entry === undefined || entry.remaining <= 0) continue;
        if (entry.fault.rate !== undefined && random() >= entry.fault.rate) continue;
        entry.remaining -= 1;
        if (entry.remaining <= 0) active.delete(key);
        return entry.fault.kind;
      }
      return null;
    },
  };
}

function keyOf(operation: string, owner: string | null): string {
  return `${operation} ${owner ?? ""}`;
}
