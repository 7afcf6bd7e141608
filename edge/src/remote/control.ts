/** The control plane, as an edge on another machine reaches it. */
import { LRUCache } from "lru-cache";
import type { ChallengeAnswers } from "../answer-challenges.ts";
import type { KeyPair } from "../key-pair.ts";
import type { FileList } from "../site-file.ts";
import type { EdgeKeys } from "./keys.ts";
import type { Part, Snapshot } from "./parts.ts";
import type { EdgeReport } from "./report.ts";

/** The places of what the control plane seals. */
export const PLACES = {
  snapshot: "snapshot",
  challenge: "challenge",
  part: (number: number) => `part ${number}`,
  files: (key: string) => `files ${key}`,
  file: (key: string, path: string, from: number) => `file ${key} ${from} ${path}`,
} as const;

export type Control = {
  /**
   * The snapshot, once it differs from the known one; null if it does not for `waitSeconds`.
   * @throws if the control plane does not answer, or refuses
   */
  readSnapshot(
    etag: string | null,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<{ readonly etag: string; readonly snapshot: Snapshot } | null>;
  /** Null if the part has no names any more. @throws as `readSnapshot` */
  readPart(number: number, signal: AbortSignal): Promise<Part | null>;
  /** Null if they cannot be copied. @throws as `readSnapshot` */
  readFiles(key: string, signal: AbortSignal): Promise<FileList | null>;
  /** The next bytes of a file of `readFiles`. @throws as `readSnapshot` */
  readFile(key: string, path: string, from: number, signal: AbortSignal): Promise<Buffer>;
  /** @throws as `readSnapshot` */
  report(report: EdgeReport, signal: AbortSignal): Promise<void>;
  readonly challenges: ChallengeAnswers;
};

const TIMEOUT_MS = 10_000;
const CHALLENGE_TIMEOUT_MS = 3_000;
/** Anyone can ask an edge for answers; only these many requests of that kind run at a time. */
const CHALLENGES_AT_A_TIME = 20;
const UNKNOWN_MS = 2_000;
const NO_CONTROL =
  "SLIPWAY_EDGE_CONTROL_URL leads to no control plane that has edges. Set it to Slipway's address, and SLIPWAY_EDGE_SECRET on the main machine too.";

export class ControlError extends Error {
  override readonly name = "ControlError";
}

/** @param url of the control plane, without a trailing slash */
export function createControl(url: string, keys: EdgeKeys): Control {
  const authorization = `Bearer ${keys.token}`;
  /** Challenges that had no answer a moment ago. */
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: UNKNOWN_MS });
  let running = 0;

  async function ask(
    path: string,
    init: Omit<RequestInit, "headers"> & {
      readonly signal: AbortSignal;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<Response> {
    const answer = await fetch(`${url}/edge/${path}`, {
      ...init,
      headers: { authorization, ...init.headers },
      redirect: "error",
    });
    if (answer.ok || answer.status === 304 || answer.status === 404) return answer;
    await answer.body?.cancel();
    const reason = answer.status === 401 ? ": it has another SLIPWAY_EDGE_SECRET" : "";
    throw new ControlError(`The control plane answered ${answer.status}${reason}.`);
  }

  /** Null if it is not found. */
  async function read(path: string, signal: AbortSignal): Promise<Buffer | null> {
    const answer = await ask(path, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    const sealed = Buffer.from(await answer.arrayBuffer());
    return answer.status === 200 ? sealed : null;
  }

  const open = (place: string, sealed: Buffer): unknown => JSON.parse(keys.open(place, sealed).toString());

  async function answerOf(query: Record<string, string>): Promise<string | null> {
    const path = `challenge?${new URLSearchParams(query).toString()}`;
    if (running >= CHALLENGES_AT_A_TIME || unknown.has(path)) return null;
    running += 1;
    try {
      const answer = await ask(path, { signal: AbortSignal.timeout(CHALLENGE_TIMEOUT_MS) });
      const sealed = Buffer.from(await answer.arrayBuffer());
      if (answer.status === 200) return keys.open(PLACES.challenge, sealed).toString();
    } catch {
      // The authority asks again, and the control plane logs why.
    } finally {
      running -= 1;
    }
    unknown.set(path, true);
    return null;
  }

  return {
    async readSnapshot(etag, waitSeconds, signal) {
      const answer = await ask(`snapshot?wait=${waitSeconds}`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1_000 + TIMEOUT_MS)]),
        headers: etag === null ? {} : { "if-none-match": etag },
      });
      const sealed = Buffer.from(await answer.arrayBuffer());
      if (answer.status === 304) return null;
      const given = answer.headers.get("etag");
      if (answer.status !== 200 || given === null) throw new ControlError(NO_CONTROL);
      return { etag: given, snapshot: open(PLACES.snapshot, sealed) as Snapshot };
    },
    async readPart(number, signal) {
      const sealed = await read(`part?number=${number}`, signal);
      return sealed === null ? null : (open(PLACES.part(number), sealed) as Part);
    },
    async readFiles(key, signal) {
      const sealed = await read(`files?${new URLSearchParams({ key }).toString()}`, signal);
      return sealed === null ? null : (open(PLACES.files(key), sealed) as FileList);
    },
    async readFile(key, path, from, signal) {
      const query = new URLSearchParams({ key, path, from: String(from) });
      const sealed = await read(`file?${query.toString()}`, signal);
      if (sealed === null)
        throw new ControlError("The control plane does not have a file of a release any more.");
      return keys.open(PLACES.file(key, path, from), sealed);
    },
    async report(report, signal) {
      const answer = await ask("report", {
        method: "POST",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        headers: { "content-type": "application/json" },
        body: JSON.stringify(report),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new ControlError(NO_CONTROL);
    },
    challenges: {
      httpAnswer: (host, token) => answerOf({ kind: "http", host, token }),
      async alpnPair(host) {
        const found = await answerOf({ kind: "alpn", host });
        return found === null ? null : (JSON.parse(found) as KeyPair);
      },
    },
  };
}
