/** Clients as good ones are written: each write has an Idempotency-Key and is repeated until it is answered. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiAnswer, ApiClient } from "../helpers/api-client.ts";

export type History = {
  /** What no client should ever have been told. */
  readonly breaches: string[];
  acknowledgedWrites: number;
  repeatedWrites: number;
  replayedWrites: number;
  refusedWhileDown: number;
  /** How long, in ms, from the first refusal of a streak until an answer. */
  readonly outagesMs: number[];
};

export function createHistory(): History {
  return {
    breaches: [],
    acknowledgedWrites: 0,
    repeatedWrites: 0,
    replayedWrites: 0,
    refusedWhileDown: 0,
    outagesMs: [],
  };
}

export type PatientClient = {
  /** The first answer that is no sign of an outage. */
  read(path: string): Promise<ApiAnswer>;
  write(method: "POST" | "DELETE", path: string, body?: unknown): Promise<ApiAnswer>;
  /** What is at a path once `isThere` holds; undefined when the client gave up. */
  until(path: string, what: string, isThere: (answer: ApiAnswer) => boolean): Promise<ApiAnswer>;
};

const PAUSE_MS = 100;
/** After this a client calls it a breach: nothing that was accepted may wait for so long. */
const PATIENCE_MS = 120_000;

export function createPatientClient(client: ApiClient, history: History): PatientClient {
  async function persist(what: string, attempt: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    const startedMs = performance.now();
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt().catch((error: unknown) => {
        // The process was killed in the middle of it.
        if (error instanceof TypeError || error instanceof SyntaxError) return null;
        throw error;
      });
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
    read: (path) => persist(`GET ${path}`, () => client.get(path)),
    async write(method, path, body) {
      const headers = { "idempotency-key": randomUUID() };
      let tries = 0;
      const answer = await persist(`${method} ${path}`, () => {
        tries += 1;
        return method === "POST" ? client.post(path, body, headers) : client.delete(path, undefined, headers);
      });
      history.acknowledgedWrites += 1;
      if (tries > 1) history.repeatedWrites += 1;
      if (answer.headers.get("idempotent-replayed") === "true") history.replayedWrites += 1;
      return answer;
    },
    async until(path, what, isThere) {
      const deadlineMs = performance.now() + PATIENCE_MS;
      for (;;) {
        const answer = await persist(`GET ${path}`, () => client.get(path));
        if (isThere(answer)) return answer;
        if (performance.now() > deadlineMs)
          throw new Error(
            `${what} did not come true; last seen ${answer.status} ${JSON.stringify(answer.body)}`,
          );
        await sleep(PAUSE_MS);
      }
    },
  };
}

function isInProgress({ status, body }: ApiAnswer): boolean {
  return status === 409 && body?.code === "IDEMPOTENCY_KEY_IN_PROGRESS";
}
