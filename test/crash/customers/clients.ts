/** Clients as good ones are written: each write has an Idempotency-Key and is repeated until it is answered. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiAnswer, ApiClient } from "../../helpers/api-client.ts";

export type History = {
  /** An answer that no client should ever get. */
  readonly breaches: string[];
  acknowledgedWrites: number;
  repeatedWrites: number;
  replayedWrites: number;
  refusedWhileDown: number;
  /** How long, in ms, from the first refusal of a streak until an answer. */
  readonly outagesMs: number[];
  /** Reports possible causes at the moment when a client has waited too long. */
  readonly onLate: (what: string) => Promise<void>;
};

export function createHistory(onLate: (what: string) => Promise<void>): History {
  return {
    onLate,
    breaches: [],
    acknowledgedWrites: 0,
    repeatedWrites: 0,
    replayedWrites: 0,
    refusedWhileDown: 0,
    outagesMs: [],
  };
}

export type PatientClient = {
  /** The first answer that is not a sign of an outage. */
  read(path: string): Promise<ApiAnswer>;
  write(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<ApiAnswer>;
  /** The answer at a path once `isThere` holds. @throws if the client gave up */
  until(path: string, what: string, isThere: (answer: ApiAnswer) => boolean): Promise<ApiAnswer>;
};

const PAUSE_MS = 100;
/** An API that does not answer for this long is given up, and another one is used. */
const ANSWER_MS = 10_000;
/** A waiting reader sees a change at once; this limits how long a dead API is waited for. */
const WAIT_SECONDS = 3;
/** After this time a client reports a breach: nothing that was accepted may wait this long. */
const PATIENCE_MS = 120_000;
/** So much more for each time that a process died with a job of what is waited for: the design's figure. */
const STRIKE_MS = 15_000;
/** After this time the client stops waiting, and the run ends. */
const DESPAIR_MS = 480_000;

/**
 * @param apis all APIs of the same organization; a request without an answer goes to the next
 * @param countStrikes how often a process died with a job of the customer, or of one of these ids
 */
export function createPatientClient(
  apis: readonly ApiClient[],
  history: History,
  countStrikes: (ids: readonly string[]) => number,
): PatientClient {
  let turn = 0;
  async function persist(what: string, attempt: (api: ApiClient) => Promise<ApiAnswer>): Promise<ApiAnswer> {
    const startedMs = performance.now();
    for (let tries = 1; ; tries += 1) {
      const api = apis[turn % apis.length];
      if (api === undefined) throw new Error("There is no API to ask.");
      const answer = await inTime(attempt(api));
      if (answer === null) turn += 1;
      const isOutage = answer === null || answer.status === 503 || answer.status === 409;
      if (answer !== null && answer.status >= 500 && answer.status !== 503) {
        history.breaches.push(`${what} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      if (answer?.status === 503) {
        history.refusedWhileDown += 1;
        if (answer.headers.get("retry-after") === null)
          history.breaches.push(`${what}: 503 without Retry-After`);
      }
      if (answer !== null && answer.status < 500 && !(isOutage && isInProgress(answer))) {
        if (tries > 1) history.outagesMs.push(performance.now() - startedMs);
        return answer;
      }
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`${what} was not answered in time.`);
      await sleep(PAUSE_MS);
    }
  }

  return {
    read: (path) => persist(`GET ${path}`, (api) => api.get(path)),
    async write(method, path, body) {
      const headers = { "idempotency-key": randomUUID() };
      let tries = 0;
      const answer = await persist(`${method} ${path}`, (api) => {
        tries += 1;
        if (method === "DELETE") return api.delete(path, undefined, headers);
        if (method === "PUT") return api.put(path, body, headers);
        return method === "POST" ? api.post(path, body, headers) : api.patch(path, body, headers);
      });
      history.acknowledgedWrites += 1;
      if (tries > 1) history.repeatedWrites += 1;
      if (answer.headers.get("idempotent-replayed") === "true") history.replayedWrites += 1;
      return answer;
    },
    async until(path, what, isThere) {
      const startedMs = performance.now();
      const ids = path.match(IDS) ?? [];
      const struckBefore = countStrikes(ids);
      let isLate = false;
      let last = await persist(`GET ${path}`, (api) => api.get(path));
      while (!isThere(last)) {
        const waitedMs = performance.now() - startedMs;
        const seen = `last seen ${last.status} ${JSON.stringify(last.body)}`;
        const strikes = countStrikes(ids) - struckBefore;
        const excusedMs = waitedMs - strikes * STRIKE_MS;
        if (excusedMs > DESPAIR_MS) throw new Error(`${what} did not come true; ${seen}`);
        if (excusedMs > PATIENCE_MS && !isLate) {
          isLate = true;
          history.breaches.push(
            `${what} took ${Math.round(waitedMs / 1_000)} s, struck ${strikes} times; ${seen}`,
          );
          await history.onLate(what);
        }
        await sleep(PAUSE_MS);
        const etag = last.headers.get("etag");
        const headers = etag === null ? {} : { prefer: `wait=${WAIT_SECONDS}`, "if-none-match": etag };
        const next = await persist(`GET ${path}`, (api) => api.get(path, headers));
        if (next.status !== 304) last = next;
      }
      return last;
    },
  };
}

/** A write that must be accepted. @returns the body of the answer */
export async function writeAccepted(
  client: PatientClient,
  ...write: Parameters<PatientClient["write"]>
): Promise<ApiAnswer["body"]> {
  const { status, body } = await client.write(...write);
  assert.ok(status < 300, `${write[0]} ${write[1]}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Of whatever a path names. */
const IDS = /[a-z]+_[0-9a-z]{20,}/g;

/** Asks again while the service says that it cannot answer now; for what is made before anything dies. */
export function insistent(api: ApiClient): ApiClient {
  const again = async (ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    for (;;) {
      const answer = await ask();
      if (answer.status !== 503) return answer;
      await sleep(PAUSE_MS);
    }
  };
  return {
    ...api,
    get: (...args) => again(() => api.get(...args)),
    post: (...args) => again(() => api.post(...args)),
  };
}

/** @returns null when the process was killed in the middle of it, or says nothing */
async function inTime(answering: Promise<ApiAnswer>): Promise<ApiAnswer | null> {
  const silence = new AbortController();
  const given = answering.catch((error: unknown) => {
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  });
  const answer = await Promise.race([
    given,
    sleep(ANSWER_MS, null, { signal: silence.signal }).catch(() => null),
  ]);
  silence.abort();
  return answer;
}

function isInProgress({ status, body }: ApiAnswer): boolean {
  return status === 409 && body?.code === "IDEMPOTENCY_KEY_IN_PROGRESS";
}
