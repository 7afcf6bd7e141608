/**
 * Changes on the server change the page: all tabs of this browser share one stream of events, and each event makes the
 * reads of its subject old. A browser opens only six connections to a server, so a stream per tab would block the
 * seventh tab.
 */
import type { QueryClient } from "@tanstack/react-query";
import { Slipway } from "../../../sdk/src/client.ts";
import { ApiError, SlipwayError } from "../../../sdk/src/errors.ts";
import { slipway } from "../api/client.ts";
import { fetchAsPage } from "../early/page-key.ts";
import { readAgain } from "./read-again.ts";
import { resourcesOf } from "./subjects.ts";

export type LiveState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `since`, in milliseconds since 1970: what is shown may be as old as that. */
  | { readonly kind: "reconnecting"; readonly since: number };

type Message =
  | { readonly kind: "event"; readonly subject: string }
  | { readonly kind: "state"; readonly state: LiveState }
  /** Events may have been missed. */
  | { readonly kind: "gap" }
  | { readonly kind: "ask" };

const LOCK = "slipway.live";
/** Events come in bursts: a read that several of them make old is repeated once. */
const GATHER_MS = 200;
const RESTART_MS = 3_000;
/** How much the clocks of Slipway's processes may differ. */
const SKEW_S = 5;
/** The server remembers what a caller may do for as long, so that only then the answer is the new one. */
const RIGHTS_SETTLE_MS = 5_000;

let state: LiveState = { kind: "connecting" };
const listeners = new Set<() => void>();

/** How the stream is, for `useSyncExternalStore`. */
export const liveState = {
  subscribe: (changed: () => void) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
  get: () => state,
};

function setState(next: LiveState): void {
  if (next.kind === state.kind) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Begins to follow the events, until `signal` fires. */
export function startLive(client: QueryClient, signal: AbortSignal): void {
  const channel = new BroadcastChannel(LOCK);
  let isLeader = false;
  let old = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (resources: readonly string[]) => {
    for (const resource of resources) old.add(resource);
    timer ??= setTimeout(() => {
      timer = undefined;
      const resources = old;
      old = new Set();
      for (const resource of resources) void readAgain(client, { queryKey: [resource] });
    }, GATHER_MS);
  };
  let settling: ReturnType<typeof setTimeout> | undefined;
  const takeEvent = (subject: string) => {
    const resources = resourcesOf(subject);
    refresh(resources);
    if (!resources.includes("me")) return;
    clearTimeout(settling);
    settling = setTimeout(() => refresh(["me"]), RIGHTS_SETTLE_MS);
  };
  /** What this page shows was read before it heard of events. */
  const readMissed = async () => {
    const withinSeconds = Math.ceil(performance.now() / 1_000) + SKEW_S;
    const missed = await slipway.events.list({ withinSeconds, limit: 100 }).then(
      (page) => page,
      () => null,
    );
    if (missed === null || missed.hasMore) await readAgain(client, {});
    else for (const { subject } of missed.events) takeEvent(subject.type);
  };
  const take = (message: Message) => {
    if (message.kind === "event") takeEvent(message.subject);
    else if (message.kind === "state") {
      if (state.kind === "connecting" && message.state.kind === "live") void readMissed();
      setState(message.state);
    } else if (message.kind === "gap") void readAgain(client, {});
    else if (isLeader) channel.postMessage({ kind: "state", state });
  };
  const tell = (message: Message) => {
    channel.postMessage(message);
    take(message);
  };
  globalThis.addEventListener("offline", () => setState(lost()), { signal });
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => take(data));
  channel.postMessage({ kind: "ask" });
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    clearTimeout(settling);
    channel.close();
  });
  const lead = async () => {
    isLeader = true;
    await follow(tell, signal);
  };
  // Pages over plain HTTP have no locks, so each of their tabs opens its own stream.
  const leading = navigator.locks === undefined ? lead() : navigator.locks.request(LOCK, { signal }, lead);
  leading.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Passes each event and state change to `tell`, and reconnects, until `signal` fires or the session has ended. */
async function follow(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let isGap = false;
  const client = new Slipway({
    url: globalThis.location.origin,
    token: null,
    fetch: async (input, init) => {
      try {
        const response = await fetchAsPage(input, init);
        if (response.ok) {
          tell({ kind: "state", state: { kind: "live" } });
          if (isGap) tell({ kind: "gap" });
          isGap = false;
        }
        return response;
      } catch (error) {
        if (init?.signal?.aborted !== true) tell({ kind: "state", state: lost() });
        throw error;
      }
    },
  });
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const broken = new AbortController();
    // A stream that a lost network left behind would stay silent for a while before it is given up.
    const end = () => broken.abort();
    globalThis.addEventListener("online", end);
    signal.addEventListener("abort", end);
    try {
      // A stream begins with the next event: those before it may have been missed.
      isGap = !isFirst || state.kind !== "connecting";
      for await (const one of client.events.stream({}, { signal: broken.signal }))
        if (one.event === "message") tell({ kind: "event", subject: one.data.subject.type });
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      // The next request makes the user sign in again, and then a new stream begins.
      if (error instanceof ApiError && error.status === 401) return;
      if (!broken.signal.aborted) {
        tell({ kind: "state", state: lost() });
        await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      }
    } finally {
      globalThis.removeEventListener("online", end);
      signal.removeEventListener("abort", end);
    }
  }
}

function lost(): LiveState {
  return { kind: "reconnecting", since: Date.now() };
}
