/** The one client of the API. Everything that the console reads and writes goes through it. */
import { Slipway } from "../../../sdk/src/client.ts";
import { fetchOnce, forgetEarly } from "../early/answers.ts";
import { onSessionChange } from "./session.ts";

/** How often a write is sent again if its answer is lost. Its Idempotency-Key stays, so it takes effect once. */
const RETRIES = 3;

/** The session's cookie, which no script can read, and the page key say who asks. */
export const slipway = new Slipway({
  url: globalThis.location.origin,
  token: null,
  maxRetries: RETRIES,
  fetch: fetchOnce,
});
onSessionChange(forgetEarly);
