import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Clock } from "../lib/clock.ts";
import type { KeyWrap } from "./keys/folder-key.ts";
import { SealingError } from "./sealing-error.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A clock that stands still until the test moves it. */
export function createTestClock(start = "2026-03-01T12:00:00.000Z"): Clock & { advance(ms: number): void } {
  let nowMs = Date.parse(start);
  return {
    now: () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A path for a key folder that does not exist yet; removed after the test. */
export async function temporaryKeyFolder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "slipway-sealing-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "keys");
}

/** Key services in memory: each has its own keys, by name. */
export function createTestWrap(keyId: string): KeyWrap & { calls: string[]; isAway: boolean } {
  const service = {
    keyId,
    calls: [] as string[],
    isAway: false,
    async wrap(key: Uint8Array, name: string) {
      note(`wrap ${name}`);
      return { wrapped: mask(key, `${keyId}/${name}`), wrappedBy: `arn:${keyId}` };
    },
    async unwrap(wrapped: Uint8Array, name: string, wrappedBy: string) {
      note(`unwrap ${name}`);
      return mask(wrapped, `${wrappedBy.slice("arn:".length)}/${name}`);
    },
  };
  const note = (call: string): void => {
    if (service.isAway) throw new SealingError("KEY_SERVICE_UNUSABLE", "The key service is away.");
    service.calls.push(call);
  };
  return service;
}

function mask(bytes: Uint8Array, secret: string): Uint8Array<ArrayBuffer> {
  const stream = createHash("sha256").update(secret).digest();
  return Uint8Array.from(bytes, (byte, index) => byte ^ (stream[index % stream.length] ?? 0));
}
