import { decideFollowing, decideHealth, type Outcome } from "./decide-delivery.ts";
import type { DeliveryStatus } from "./delivery.ts";
import type { Item } from "./gather-batch.ts";
import type { Shown } from "./send-attempt.ts";
import type { Health } from "./webhook-endpoint.ts";

/** How many events are on their way to an endpoint at once. */
export const IN_FLIGHT = 4;

/** What became of one delivery of a batch. */
export type Sent = {
  readonly item: Item;
  /** Null if it was not sent, because one before it was not delivered, or the batch was stopped. */
  readonly shown: Shown | null;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date;
};

/**
 * Sends a batch, those of one subject one after another. It stops when the endpoint is found to be failing, paused or
 * gone, or when the signal fires; what a user asked for is sent anyway.
 */
export async function sendBatch(
  items: readonly Item[],
  options: {
    readonly health: Health;
    readonly now: () => Date;
    readonly signal: AbortSignal;
    readonly send: (item: Item) => Promise<{ readonly outcome: Outcome; readonly shown: Shown }>;
  },
): Promise<{ readonly sent: readonly Sent[]; readonly health: Health }> {
  const { now, signal, send } = options;
  const isProbe = options.health.status === "FAILING";
  let { health } = options;
  let isStopped = false;
  const sent: Sent[] = [];
  const chains = chainsOf(items);

  const sendChain = async (chain: readonly Item[]): Promise<void> => {
    let waitsUntil: Date | null = null;
    for (const item of chain) {
      if (waitsUntil !== null || signal.aborted || (isStopped && !isAsked(item))) {
        sent.push({ item, shown: null, status: "PENDING", nextAttemptAt: waitsUntil ?? now() });
        continue;
      }
      const { outcome, shown } = await send(item);
      health = decideHealth(health, outcome, now(), Math.random());
      isStopped ||= health.status !== "HEALTHY" || (health.resumeAt !== null && health.resumeAt > now());
      const following = decideFollowing({ ...item.delivery, isProbe }, outcome, Math.random());
      const afterMs = following.status === "PENDING" ? following.afterMs : 0;
      const nextAttemptAt = new Date(now().getTime() + afterMs);
      if (following.status === "PENDING") waitsUntil = nextAttemptAt;
      sent.push({ item, shown, status: following.status, nextAttemptAt });
    }
  };
  const sendNext = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) await sendChain(chain);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendNext));
  return { sent, health };
}

function isAsked({ delivery }: Item): boolean {
  return delivery.trigger === "manual" || delivery.trigger === "ping";
}

function chainsOf(items: readonly Item[]): (readonly Item[])[] {
  const chains = Map.groupBy(items, (item) => (isAsked(item) ? item.delivery.id : item.delivery.subjectId));
  return [...chains.values()];
}
