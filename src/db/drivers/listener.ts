/** A separate connection for LISTEN, which reconnects whenever it is lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { escapeIdentifier } from "pg";
import { ask, isUnanswered } from "./ask.ts";
import type { CheckedClient, Servers } from "./servers.ts";

const RETRY_MS = 1_000;
/**
 * A connection to an unreachable server looks like a quiet one: it receives nothing. So the listener queries the server
 * this often, and the server must answer within this time. Together they are less than ten seconds.
 */
const ASK_EVERY_MS = 5_000;
const ANSWER_MS = 4_000;

export function createListener(options: {
  servers: Servers;
  channel: string;
  onMessage: (payload: string) => void;
  /** It listens again after a time in which messages were lost. */
  onReconnect: () => void;
  onError: (error: unknown) => void;
}): { close(): Promise<void> } {
  const { servers, onMessage, onReconnect, onError } = options;
  const closing = new AbortController();
  let hasListened = false;

  const open = async (): Promise<CheckedClient> => {
    const client = new servers.Client({ keepAlive: true, pipeline: true });
    await client.connect();
    return client;
  };

  const listenOn = async (client: CheckedClient): Promise<void> => {
    const gone = new AbortController();
    client.once("end", () => gone.abort());
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    await ask(client, { text: `LISTEN ${escapeIdentifier(options.channel)}` }, ANSWER_MS);
    if (hasListened) onReconnect();
    hasListened = true;
    const over = AbortSignal.any([gone.signal, closing.signal]);
    while (!over.aborted) {
      await sleep(ASK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
      if (!over.aborted) await ask(client, { text: "SELECT 1" }, ANSWER_MS);
    }
  };

  /** Until the connection is lost. */
  const listenOnce = async (): Promise<void> => {
    const client = await servers.connecting(open);
    try {
      await listenOn(client);
    } catch (error) {
      // Its server stands still, and so do all connections to it; or it was only lost.
      if (isUnanswered(error)) servers.abandon(client);
      throw error;
    } finally {
      await client.end();
    }
  };

  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await listenOnce().catch(onError);
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };

  const listening = listen();
  return {
    async close() {
      closing.abort();
      await listening;
    },
  };
}
