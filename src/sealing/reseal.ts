/**
 * After a rotation of the at-rest key, values of older keys are sealed again in the background, a batch at a time. A
 * key that nothing needs any more is then destroyed. Every step may be repeated, and several processes may do it at
 * once: a value is replaced only if it has not changed since it was opened.
 */
import type { Clock } from "../lib/clock.ts";
import type { AtRestKey, AtRestKeys } from "./keys/at-rest-keys.ts";
import { type AtRestSealing, prefixOf } from "./at-rest.ts";
import type { KeyFolder } from "./keys/key-folder.ts";
import { SealingError } from "./sealing-error.ts";

/** One value. `key` orders values and marks the place to continue from. */
export type SealedValue = {
  readonly key: string;
  readonly associated: readonly string[];
  readonly sealed: Uint8Array;
};

/** Values of one kind that are sealed at rest and kept for long. */
export type SealedValues<Value extends SealedValue = SealedValue> = {
  /** Values after this key that do not begin with the prefix, in order of `key`. */
  listOthers(prefix: Uint8Array, after: string, limit: number): Promise<readonly Value[]>;
  /** How many values do not begin with the prefix. */
  countOthers(prefix: Uint8Array): Promise<number>;
  /** Replaces opened values by the newly sealed ones, unless they have changed since. */
  replace(values: readonly { readonly value: Value; readonly sealed: Uint8Array }[]): Promise<void>;
  readonly hasAny: HasAny;
};

/** Whether any value begins with the prefix. */
export type HasAny = (prefix: Uint8Array) => Promise<boolean>;

/** The progress of re-sealing, for `keys status`, which may not open the database. */
export type ResealProgress = {
  readonly at: string;
  /** The file of the key that seals values again. */
  readonly key: string;
  /** How many values are still sealed with another key. */
  readonly left: number;
  /** How many of them do not open; their keys are kept. */
  readonly unreadable: number;
};

export const PROGRESS_FILE = "at-rest-progress.json";
const BATCH = 100;
const REST_MS = 10_000;
/** Answers for an Idempotency-Key, and their fingerprints, keep the key of their time. They are kept for 24 hours. */
const RETIRED_FOR_MS = 25 * 3_600_000;

/**
 * @returns a function that runs one pass, and returns how long to wait before the next. Its signal ends a pass early.
 */
export function createResealing(deps: {
  readonly keys: AtRestKeys;
  readonly atRest: AtRestSealing;
  readonly folder: KeyFolder;
  readonly clock: Clock;
  /** All values that are kept for long, by their kinds. */
  readonly values: readonly SealedValues[];
  /** Checks values that expire and are not sealed again. */
  readonly aging: readonly HasAny[];
}): (signal: AbortSignal) => Promise<number> {
  const { keys, atRest, folder, clock, values, aging } = deps;
  let lastPublished = "";

  async function publish(key: AtRestKey, left: number, unreadable: number): Promise<void> {
    const text = JSON.stringify({ key: key.file, left, unreadable });
    if (text === lastPublished) return;
    lastPublished = text;
    const progress: ResealProgress = { at: clock.now().toISOString(), key: key.file, left, unreadable };
    await folder.publish(PROGRESS_FILE, `${JSON.stringify(progress)}\n`);
  }

  /** @returns false when the signal ended it */
  async function resealAll(key: AtRestKey, signal: AbortSignal): Promise<boolean> {
    const prefix = prefixOf(key);
    const counts = await Promise.all(values.map((kind) => kind.countOthers(prefix)));
    let left = counts.reduce((sum, count) => sum + count, 0);
    let unreadable = 0;
    let [kind, ...kindsLeft] = values;
    let after = "";
    await publish(key, left, unreadable);
    while (kind !== undefined) {
      if (signal.aborted) return false;
      const batch = await kind.listOthers(prefix, after, BATCH);
      const replaced = [];
      for (const value of batch) {
        try {
          const opened = await atRest.open(value.associated, value.sealed);
          replaced.push({ value, sealed: await atRest.seal(value.associated, opened) });
        } catch (error) {
          if (!(error instanceof SealingError && error.code === "TAMPERED")) throw error;
          unreadable += 1;
        }
      }
      if (replaced.length > 0) await kind.replace(replaced);
      left -= replaced.length;
      const last = batch.at(-1);
      if (last === undefined) {
        [kind, ...kindsLeft] = kindsLeft;
        after = "";
        continue;
      }
      after = last.key;
      await publish(key, Math.max(left, unreadable), unreadable);
    }
    await publish(key, unreadable, unreadable);
    return true;
  }

  /** An older key is destroyed after it has been replaced for a day, and once the database has none of its values. */
  async function destroyUnneeded(all: readonly AtRestKey[]): Promise<void> {
    for (const [index, key] of all.entries()) {
      const replacedAt = all[index + 1]?.createdAt;
      if (replacedAt === undefined || replacedAt === null) continue;
      if (clock.now().getTime() - replacedAt.getTime() < RETIRED_FOR_MS) continue;
      const prefix = prefixOf(key);
      const uses = await Promise.all(
        [...values.map((kind) => kind.hasAny), ...aging].map((hasAny) => hasAny(prefix)),
      );
      if (!uses.includes(true)) await keys.destroy(key);
    }
  }

  return async (signal) => {
    const all = await keys.list();
    const newest = all.at(-1);
    if (newest === undefined || all.length === 1) return REST_MS;
    if (await resealAll(newest, signal)) await destroyUnneeded(all);
    return REST_MS;
  };
}
