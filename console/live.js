/** @import { Api } from "./api-types.ts" */
import { ProblemError } from "./api.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Follows a resource: `onNews` gets it now and whenever it changes, until `signal` fires or the
 * resource is gone. It holds one request at a time, and none while the page is hidden: a browser
 * opens only six connections to a server, for all its tabs together.
 * @template T
 * @param {{
 *   api: Api, path: string, signal: AbortSignal,
 *   onNews: (body: T) => void,
 *   onGone?: () => void,
 *   onReachable?: (isReachable: boolean) => void,
 * }} options
 */
export async function follow({ api, path, signal, onNews, onGone, onReachable }) {
  /** @type {string | null} */
  let etag = null;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await untilVisible(signal);
    const hidden = whenHidden(signal);
    try {
      const answer = await api.getNews(path, etag, AbortSignal.any([signal, hidden.signal]));
      pauseMs = FIRST_PAUSE_MS;
      onReachable?.(true);
      if (answer.status === 304) continue;
      etag = answer.etag;
      if (!signal.aborted) onNews(answer.body);
    } catch (error) {
      if (signal.aborted || hidden.signal.aborted) continue;
      if (!(error instanceof ProblemError)) throw error;
      const { status } = error.problem;
      if (status === 401) return;
      if (status === 404) return onGone?.();
      onReachable?.(false);
      await pause(pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    } finally {
      hidden.stop();
    }
  }
}

/**
 * Resolves after a time, or at once when `signal` fires.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function untilVisible(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** @param {AbortSignal} signal */
function whenHidden(signal) {
  const hidden = new AbortController();
  const look = () => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", look, { signal });
  return {
    signal: hidden.signal,
    stop: () => document.removeEventListener("visibilitychange", look),
  };
}
