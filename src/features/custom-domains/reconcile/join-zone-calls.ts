/**
 * Groups of one account compete for the provider's rate of calls (Route 53: five a second for all of them together). So
 * requests of several groups to a zone at the same time are joined into one call. A request that is made while a call
 * is under way waits for the next call, so no answer is older than its request.
 */
import { type CloudAccount, CloudError, type CloudZones, type ZoneRecord } from "../../../cloud/cloud.ts";
import { createBatchesBy } from "../../../lib/pace/batch.ts";

/** Far below what Route 53 allows in a change: 1,000 records, whose values have 32,000 characters together. */
const RECORDS_MAX = 100;
/** A page of records has those of many names only if they are few enough. */
const NAMES_MAX = 100;

type Of<T> = { readonly account: CloudAccount; readonly zoneId: string; readonly items: readonly T[] };
type Change = (account: CloudAccount, zoneId: string, records: readonly ZoneRecord[]) => Promise<void>;

/** The same zones. Their sessions are named for the first that asked. */
export function joinZoneCalls(zones: CloudZones): CloudZones {
  const find = createBatchesBy(
    ({ account, name }: { readonly account: CloudAccount; readonly name: string }) =>
      `${account.connectionId} ${name}`,
    async (asked) => {
      const [first] = asked;
      const found = first === undefined ? [] : await zones.find(first.account, first.name);
      return asked.map(() => found);
    },
  );
  const look = createBatchesBy(keyOf, async (asked: readonly Of<string>[]) => {
    const answers = await Promise.all(
      cut(asked, NAMES_MAX).map(async (part) => {
        const { account, zoneId } = part[0];
        const names = [...new Set(part.flatMap(({ items }) => items))];
        const observed = await zones.look(account, zoneId, names);
        const byName = new Map(names.map((name, index) => [name, observed[index] ?? []]));
        return part.map(({ items }) => items.map((name) => byName.get(name) ?? []));
      }),
    );
    return answers.flat();
  });
  const create = joinChanges((...asked) => zones.create(...asked));
  const remove = joinChanges((...asked) => zones.delete(...asked));
  return {
    find: (account, name) => find({ account, name }),
    look: (account, zoneId, items) => look({ account, zoneId, items }),
    create: (account, zoneId, items) => create({ account, zoneId, items }),
    delete: (account, zoneId, items) => remove({ account, zoneId, items }),
  };
}

/**
 * The provider applies all of a call or nothing. A refused call is split in half until each refused request is a call
 * of its own.
 */
function joinChanges(change: Change): (asked: Of<ZoneRecord>) => Promise<void> {
  const changeAll = async (asked: Part<ZoneRecord>): Promise<readonly Outcome[]> => {
    const { account, zoneId } = asked[0];
    try {
      await change(
        account,
        zoneId,
        asked.flatMap(({ items }) => items),
      );
      return asked.map(() => null);
    } catch (error) {
      const isRefused = error instanceof CloudError && error.kind !== "retryable";
      if (!isRefused || asked.length === 1) return asked.map(() => ({ error }));
      const outcomes: Outcome[] = [];
      for (const half of cut(asked, Math.ceil(asked.length / 2), () => 1))
        outcomes.push(...(await changeAll(half)));
      return outcomes;
    }
  };
  const join = createBatchesBy(keyOf, async (asked: readonly Of<ZoneRecord>[]) => {
    const outcomes = await Promise.all(cut(asked, RECORDS_MAX).map(changeAll));
    return outcomes.flat();
  });
  return async (asked) => {
    const failure = await join(asked);
    if (failure !== null) throw failure.error;
  };
}

/** Null: done. */
type Outcome = { readonly error: unknown } | null;
type Part<T> = readonly [Of<T>, ...(readonly Of<T>[])];

function keyOf({ account, zoneId }: Of<unknown>): string {
  return `${account.connectionId} ${zoneId}`;
}

/** Consecutive parts that are not larger than `most` together, where that is possible. */
function cut<T>(
  asked: readonly Of<T>[],
  most: number,
  sizeOf: (one: Of<T>) => number = ({ items }) => items.length,
): readonly Part<T>[] {
  const parts: [Of<T>, ...Of<T>[]][] = [];
  let size = Infinity;
  for (const one of asked) {
    size += sizeOf(one);
    if (size > most) {
      parts.push([one]);
      size = sizeOf(one);
    } else parts.at(-1)?.push(one);
  }
  return parts;
}
