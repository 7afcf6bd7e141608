/**
 * Reads a resource whenever it changes. The server holds each read until then (`Prefer: wait`), so nothing is polled.
 */
import { AbortedError, ApiError, WaitFailedError, WaitTimeoutError } from "./errors.ts";
import { Limit } from "./limit.ts";
import { backoffMs, isPassing } from "./retry.ts";
import type { Answer, Call, Transport } from "./transport.ts";

/** How long the server holds a read. Shorter than the minute after which proxies cut silent connections. */
const WAIT_SECONDS = 25;
/** A server that is stopping does not hold reads. */
const LEAST_MS = 1_000;

export type WatchOptions = {
  readonly signal?: AbortSignal | undefined;
  /** The milliseconds that the server may take in addition to the time for which it holds a read. */
  readonly timeout?: number | undefined;
};

export type WaitOptions<T> = {
  readonly signal?: AbortSignal | undefined;
  /** The maximum time to wait, in milliseconds; default no limit. */
  readonly timeout?: number | undefined;
  /** Called with the resource at the start and after each change. */
  readonly onChange?: ((resource: T) => void) | undefined;
};

/**
 * Yields the resource as it is now, and again after each change. Once the server has answered, the watch continues
 * through outages. Ends with an error if the resource no longer exists (`NOT_FOUND`), the key may no longer read it, or `signal`
 * is aborted.
 */
export async function* watch<T>(
  transport: Transport,
  call: Call,
  options: WatchOptions = {},
): AsyncGenerator<T, never> {
  const { signal, timeout = transport.timeout } = options;
  let etag: string | null = null;
  let failures = 0;
  for (;;) {
    const startedAt = performance.now();
    const isHeld: boolean = etag !== null;
    let answer: Answer<T>;
    try {
      answer = await transport.call<T>(call, {
        signal,
        timeout: isHeld ? timeout + WAIT_SECONDS * 1_000 : timeout,
        headers: etag === null ? {} : { "if-none-match": etag, prefer: `wait=${WAIT_SECONDS}` },
      });
    } catch (error) {
      if (!isHeld || !isPassing(error)) throw error;
      await transport.pause(backoffMs(failures, Math.random()), signal);
      failures += 1;
      continue;
    }
    failures = 0;
    if (answer.response.status !== 304) {
      ({ etag } = answer);
      yield answer.data;
    } else if (performance.now() - startedAt < LEAST_MS) await transport.pause(LEAST_MS, signal);
    if (etag === null) await transport.pause(LEAST_MS, signal);
  }
}

/** Whether a resource reached the awaited state, cannot reach it any more, or may still reach it. */
export type Verdict = "reached" | "failed" | "waiting";

/**
 * Waits until a resource reaches the awaited state.
 * @param what the awaited state, for messages
 * @param follow yields the resource after each change
 * @throws WaitFailedError as soon as it cannot reach the state, WaitTimeoutError, AbortedError, ApiError
 */
export async function waitFor<T>(
  what: string,
  follow: (options: WatchOptions) => AsyncIterable<T>,
  judge: (resource: T) => Verdict,
  { signal, timeout, onChange }: WaitOptions<T> = {},
): Promise<T> {
  let last: T | null = null;
  const limit = new Limit(signal === undefined ? [] : [signal]);
  if (timeout !== undefined) limit.arm(timeout);
  try {
    for await (const resource of follow({ signal: limit.signal })) {
      last = resource;
      onChange?.(resource);
      const verdict = judge(resource);
      if (verdict === "reached") return resource;
      if (verdict === "failed")
        throw new WaitFailedError(`Stopped waiting for ${what}: it can no longer happen.`, resource);
    }
    throw new AbortedError(`Waiting for ${what} was aborted.`);
  } catch (error) {
    if (!limit.isTimedOut || !(error instanceof AbortedError)) throw error;
    throw new WaitTimeoutError(`Waiting for ${what} took longer than ${timeout ?? 0} ms.`, last);
  } finally {
    limit.release();
  }
}

/** Waits until a resource no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
export async function waitUntilGone<T>(
  what: string,
  follow: (options: WatchOptions) => AsyncIterable<T>,
  options: WaitOptions<T> = {},
): Promise<void> {
  try {
    await waitFor(`the end of ${what}`, follow, () => "waiting", options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "NOT_FOUND") throw error;
  }
}
