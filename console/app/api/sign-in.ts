/** Signing in and out: the one place that knows how a person proves who they are. */
import { Slipway } from "../../../sdk/src/client.ts";
import { ApiError } from "../../../sdk/src/errors.ts";
import { keepPageKey } from "../early/page-key.ts";
import { slipway } from "./client.ts";
import { announceSession } from "./session.ts";

/**
 * Starts a session of the key's user. The key is kept nowhere.
 * @throws ApiError 401 for a key that Slipway does not know; TypeError for what cannot be a key
 */
export async function signInWithKey(key: string): Promise<void> {
  const once = new Slipway({
    url: globalThis.location.origin,
    token: key,
    // The answer sets the session's cookie.
    fetch: async (input, init) => await globalThis.fetch(input, { ...init, credentials: "same-origin" }),
  });
  keepPageKey((await once.sessions.create()).pageKey);
  announceSession("signed-in");
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  try {
    await slipway.sessions.delete("current");
  } catch (error) {
    // It has ended already.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  keepPageKey(null);
  announceSession("signed-out");
}
