/** Tokens for CI jobs without an API key: the platform signs a token for the job, and Slipway exchanges it for its own. */
import { ConnectionError } from "./errors.ts";
import type { WorkloadToken } from "./generated/types.ts";
import { proxiedFetch } from "./proxy.ts";
import { Transport } from "./transport.ts";

/** Returns the token of a call; called before each attempt. */
export type TokenSource = () => Promise<string>;

export type WorkloadOptions = {
  /** The address of Slipway. */
  readonly url: string;
  /** The id of the workload trust. */
  readonly trustId: string;
  /** Returns the token that the platform signed; called before each exchange. */
  readonly idToken: TokenSource;
  /** A replacement for `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** A token is exchanged anew when this little of its time is left. */
const LEFT_MS = 60_000;
const TIMEOUT_MS = 30_000;

/**
 * Returns the token source for a client in a CI job. The token is exchanged when it is first needed, and again before it
 * expires.
 *
 *     const idToken = githubIdToken(url, process.env);
 *     const slipway = new Slipway({ url, token: workloadToken({ url, trustId, idToken }) });
 */
export function workloadToken({ url, trustId, idToken, fetch }: WorkloadOptions): TokenSource {
  let current: Promise<WorkloadToken> | null = null;
  let endsAtMs = 0;
  const exchange = async (): Promise<WorkloadToken> => {
    const transport = new Transport({ url, token: null, fetch });
    const body = { trustId, token: await idToken() };
    const call = { method: "POST", path: "/v1/auth/workload-token", body };
    const { data } = await transport.call<WorkloadToken>(call);
    endsAtMs = Date.parse(data.expiresAt);
    return data;
  };
  return async () => {
    if (current === null || endsAtMs - Date.now() < LEFT_MS) {
      // Calls that begin meanwhile wait for the same exchange.
      endsAtMs = Number.POSITIVE_INFINITY;
      current = exchange();
      current.catch(() => (current = null));
    }
    return (await current).token;
  };
}

/**
 * Returns a source of the tokens that GitHub Actions signs for the job. Its workflow needs
 * `permissions: id-token: write`.
 * @param env the environment of the job: `ACTIONS_ID_TOKEN_REQUEST_URL` and `ACTIONS_ID_TOKEN_REQUEST_TOKEN`
 * @throws ConnectionError if the job has no such permission, or GitHub does not answer
 */
export function githubIdToken(
  audience: string,
  env: Readonly<Record<string, string | undefined>>,
  fetch: typeof globalThis.fetch = proxiedFetch,
): TokenSource {
  return async () => {
    const address = env["ACTIONS_ID_TOKEN_REQUEST_URL"];
    const bearer = env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
    if (address === undefined || bearer === undefined)
      throw new ConnectionError(
        "GitHub Actions gives this job no token. Add to its workflow: permissions: id-token: write",
      );
    const url = new URL(address);
    url.searchParams.set("audience", audience);
    const failed = (why: string, cause?: unknown): ConnectionError =>
      new ConnectionError(`GitHub Actions gave no token for this job: ${why}`, { cause });
    let answer: Response;
    try {
      answer = await fetch(url, {
        headers: { authorization: `Bearer ${bearer}`, accept: "application/json" },
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw failed("it does not answer.", cause);
    }
    const { value } = (await answer.json().catch(() => ({}))) as { readonly value?: unknown };
    if (!answer.ok || typeof value !== "string") throw failed(`it answers with status ${answer.status}.`);
    return value;
  };
}
