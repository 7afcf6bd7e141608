import { setTimeout as rest } from "node:timers/promises";
import { type Statement, writeStatement } from "./database.ts";

/** Sends the notifications of committed transactions, one statement at a time. */
export interface Notifier {
  add(messages: readonly Message[]): void;
  /** Resolves when everything was sent, or could not be. */
  drained(): Promise<void>;
}

/**
 * The pause after each NOTIFY. The first message after a pause is sent at once. Without it a NOTIFY follows nearly every
 * write under load, which was a fifth of the write's cost: a statement, a commit on disk, and a message to each listener.
 */
const REST_MS = 10;

export type Message = { readonly channel: string; readonly payload: string };

/**
 * Sends NOTIFY after the transaction, not inside it. PostgreSQL lets only one transaction that notifies commit at a
 * time (`PreCommit_Notify` in its async.c holds a lock until the commit is on disk), so writers would wait for each
 * other's disk writes. Messages that come soon after another go together in the next one. They are lost
 * when the process dies in between, so listeners must look again now and then in any case.
 */
export function createNotifier(options: {
  run: (statement: Statement<never>, values: readonly (readonly string[])[]) => Promise<unknown>;
  onError: (error: unknown) => void;
}): Notifier {
  let waiting: Message[] = [];
  let sending: Promise<void> | null = null;
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await options.run(NOTIFY, [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)]);
      } catch (error) {
        options.onError(error);
      }
      await rest(REST_MS);
    }
    sending = null;
  };
  return {
    add(messages) {
      if (messages.length === 0) return;
      waiting.push(...messages);
      sending ??= sendAll();
    },
    drained: async () => {
      await sending;
    },
  };
}

/** PostgreSQL drops duplicates within one transaction (NOTIFY, "Description"). */
const NOTIFY = writeStatement(
  "notify",
  `SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS message(channel, payload)`,
);
