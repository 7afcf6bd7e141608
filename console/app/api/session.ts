/**
 * The session of the signed-in user. All tabs are notified of each sign-in and sign-out. When a session has expired,
 * the user signs in again over the page, so that nothing typed is lost.
 */
import { ApiError } from "../../../sdk/src/errors.ts";
import { keepPageKey, storedPageKey } from "../early/page-key.ts";

export type SessionChange = "signed-in" | "signed-out";
type Message = { readonly change: SessionChange; readonly pageKey: string | null };

const channel = new BroadcastChannel("slipway.session");
const listeners = new Set<(change: SessionChange) => void>();
channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  // Another tab may be another process, whose changes of `localStorage` arrive later than its message.
  keepPageKey(data.pageKey);
  tell(data.change);
});

function tell(change: SessionChange): void {
  for (const listener of listeners) listener(change);
}

/** Calls `listener` when the user signs in or out, in any tab. @returns a function that removes the listener */
export function onSessionChange(listener: (change: SessionChange) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says in all tabs, this one too, that the session has changed. */
export function announceSession(change: SessionChange): void {
  channel.postMessage({ change, pageKey: storedPageKey() } satisfies Message);
  tell(change);
}

/** Asks for a new session over the page; set by the shell while a page is shown. */
let renew: (() => Promise<void>) | null = null;

/** @param ask resolves when the user has signed in again, and rejects if they cancel; null: no user can be asked */
export function setRenewal(ask: (() => Promise<void>) | null): void {
  renew = ask;
}

/**
 * Does some work that calls the API. If the session has expired meanwhile, a person signs in again, and the work is done
 * once more: the refused call took no effect.
 */
export async function withSession<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (renew === null || !(error instanceof ApiError) || error.status !== 401) throw error;
    await renew();
    return await work();
  }
}
