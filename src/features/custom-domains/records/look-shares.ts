/**
 * How workers divide the looks. Each worker reports every few seconds that it is present, and until when its looks were
 * made. The workers seen a moment ago divide the records evenly, by their turn. A worker that notices that another one
 * came or went goes back to the time until which all looks were certainly made: some looks are then made twice, and
 * none is left out.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../../../db/database.ts";
import { lookers } from "./looker-store.ts";

const TELL_EVERY_MS = 5_000;
/** A worker that was not seen for this long counts as stopped. */
export const GONE_AFTER_SECONDS = 15;
/** For how long two workers may disagree about which workers are present. */
const DISAGREE_MS = GONE_AFTER_SECONDS * 1_000 + 2 * TELL_EVERY_MS;

/** The records whose turn leaves this rest when it is divided by the number of workers. */
export type Share = { readonly index: number; readonly count: number };

export type LookShares = {
  /**
   * Says that this worker is there, if it is time to. Returns its share, and from when on looks have to be made again,
   * or null.
   */
  keep(nowMs: number, madeUntilMs: number): Promise<{ share: Share; againFromMs: number | null }>;
};

export function createLookShares(db: Database): LookShares {
  const id = randomUUID();
  let share: Share = { index: 0, count: 1 };
  let known = "";
  let toldAtMs = -Infinity;

  return {
    async keep(nowMs, madeUntilMs) {
      if (nowMs - toldAtMs < TELL_EVERY_MS) return { share, againFromMs: null };
      toldAtMs = nowMs;
      return await db.transaction(async (tx) => {
        const others = (await lookers.list(tx, GONE_AFTER_SECONDS)).filter((one) => one.id !== id);
        const gone = others.filter(({ isGone }) => isGone);
        const present = [id, ...others.flatMap((one) => (one.isGone ? [] : [one.id]))].toSorted();
        const isSame = present.join() === known && gone.length === 0;
        known = present.join();
        share = { index: present.indexOf(id), count: present.length };
        const madeByOthers = others.map(({ lookedUntil }) => lookedUntil.getTime());
        const againFromMs = isSame ? null : Math.min(nowMs - DISAGREE_MS, madeUntilMs, ...madeByOthers);
        if (gone.length > 0) lookers.delete(tx, gone);
        lookers.tell(tx, id, new Date(againFromMs ?? madeUntilMs));
        return { share, againFromMs };
      });
    },
  };
}
