/** Reads the state of an own server from its small cloud. */
import { Value } from "typebox/value";
import { OwnServerSchema, type OwnServerState } from "../../../sandbox/src/host/server-state.ts";
import { AppError, COMMON_ERRORS } from "../../lib/errors.ts";
import { parseJsonOrNull } from "../../lib/json/json-body.ts";

const PROBED_TIMEOUT_MS = 20_000;
/** Less than the time that Prometheus gives a scrape, which reads the state too. */
const TIMEOUT_MS = 5_000;
const RETRY_SECONDS = 2;

/**
 * @param isProbed whether the edges' ports and the zone of challenges are tried, which takes up to some seconds
 * @throws AppError `CLOUD_UNAVAILABLE`
 */
export async function readOwnServer(
  { url, secret }: { readonly url: string; readonly secret: string },
  { isProbed }: { readonly isProbed: boolean },
): Promise<OwnServerState> {
  try {
    const answer = await fetch(`${url}/host/state?probe=${isProbed ? "yes" : "no"}`, {
      headers: { authorization: `Bearer ${secret}` },
      redirect: "error",
      signal: AbortSignal.timeout(isProbed ? PROBED_TIMEOUT_MS : TIMEOUT_MS),
    });
    const body = parseJsonOrNull(await answer.text());
    if (answer.ok && Value.Check(OwnServerSchema, body)) return body;
    throw new Error(`It answered with status ${answer.status}.`);
  } catch (error) {
    throw new AppError(
      COMMON_ERRORS.CLOUD_UNAVAILABLE,
      "The edge of this server does not answer. Check that it runs, and that it is of the same release.",
      { cause: error, retryAfterSeconds: RETRY_SECONDS },
    );
  }
}
