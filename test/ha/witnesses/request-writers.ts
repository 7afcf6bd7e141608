/** One client for each API, which writes numbered accounts and repeats each until it is acknowledged. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../helpers/api-client.ts";

const PAUSE_MS = 300;
const REPEAT_MS = 200;
/** Longer than any answer takes. */
const ANSWER_MS = 20_000;
/** A shorter pause between two acknowledged writes is not an outage. */
const NO_OUTAGE_MS = 2_000;

export type RequestWriters = {
  /**
   * How long the API acknowledged nothing because of what happened at a time, in ms since then, up to now; 0 if it
   * acknowledged all the while.
   */
  answeredAgainMs(api: string, sinceMs: number): number;
  /** Resolves when each API has acknowledged a write that was sent from now on. */
  answered(): Promise<void>;
  check(): Promise<{
    readonly breaches: readonly string[];
    readonly count: number;
    readonly answers: ReadonlyMap<string, number>;
  }>;
};

/** @param apis by name */
export function startRequestWriters(apis: ReadonlyMap<string, ApiClient>): RequestWriters {
  const stopping = new AbortController();
  const names = new Map<string, string>();
  const breaches: string[] = [];
  /** How often each refusal was seen. */
  const answers = new Map<string, number>();
  /** When each API acknowledged what it was sent last, and when that was sent, in order. */
  const acknowledged = new Map(
    [...apis.keys()].map((api) => [api, [{ sentMs: 0, doneMs: performance.now() }]]),
  );
  const count = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1);

  const write = async (api: string, client: ApiClient, givenId: string): Promise<void> => {
    const key = randomUUID();
    while (!stopping.signal.aborted) {
      const sentMs = performance.now();
      const answer = await Promise.race([
        client.post("/v1/aws-accounts", { givenId }, { "idempotency-key": key }).catch(() => null),
        sleep(ANSWER_MS, null, { ref: false }),
      ]);
      if (answer?.status === 201) {
        acknowledged.get(api)?.push({ sentMs, doneMs: performance.now() });
        names.set(givenId, answer.body.id);
        if (answer.headers.get("idempotent-replayed") === "true") count("replayed");
        return;
      }
      const code: string = answer === null ? "no answer" : answer.body.code;
      count(code);
      if (answer !== null && answer.status !== 503 && code !== "IDEMPOTENCY_KEY_IN_PROGRESS")
        breaches.push(`${api} answered ${answer.text}`);
      if (answer !== null && answer.headers.get("retry-after") === null)
        breaches.push(`${api} answered ${code} without Retry-After.`);
      await sleep(REPEAT_MS);
    }
  };
  const writing = [...apis].map(async ([api, client]) => {
    for (let number = 1; !stopping.signal.aborted; number += 1) {
      await write(api, client, `witness-${api}-${number}`);
      await sleep(PAUSE_MS);
    }
  });

  return {
    answeredAgainMs(api, sinceMs) {
      const times = (acknowledged.get(api) ?? []).map(({ doneMs }) => doneMs);
      let longest = { beganMs: 0, endedMs: 0 };
      for (const [index, endedMs] of times.entries()) {
        const beganMs = times[index - 1] ?? endedMs;
        if (endedMs < sinceMs) continue;
        if (endedMs - beganMs > longest.endedMs - longest.beganMs) longest = { beganMs, endedMs };
      }
      return longest.endedMs - longest.beganMs < NO_OUTAGE_MS ? 0 : longest.endedMs - sinceMs;
    },
    async answered() {
      const sinceMs = performance.now();
      const isLate = ([...times]: readonly { sentMs: number }[]): boolean =>
        (times.at(-1)?.sentMs ?? 0) < sinceMs;
      while ([...acknowledged.values()].some(isLate)) await sleep(PAUSE_MS);
    },
    async check() {
      stopping.abort();
      await Promise.all(writing);
      const [client] = apis.values();
      const seen = client === undefined ? [] : await listAccounts(client);
      for (const [givenId, id] of names) {
        const found = seen.filter((one) => one.givenId === givenId);
        if (found.length !== 1 || found[0]?.id !== id)
          breaches.push(`${givenId} was acknowledged as ${id} and is there ${found.length} times.`);
      }
      if (new Set(seen.map(({ givenId }) => givenId)).size !== seen.length)
        breaches.push("An account is there twice.");
      return { breaches, count: names.size, answers };
    },
  };
}

type Account = { readonly id: string; readonly givenId: string };

async function listAccounts(client: ApiClient): Promise<readonly Account[]> {
  const all: Account[] = [];
  for (let cursor = ""; ;) {
    const { body } = await client.get(`/v1/aws-accounts?limit=100${cursor}`);
    all.push(...(body.awsAccounts as Account[]));
    if (body.nextCursor === null || body.nextCursor === undefined) return all;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor as string)}`;
  }
}
