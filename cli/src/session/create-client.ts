import { githubIdToken, Slipway, type TokenSource, workloadToken } from "../../../sdk/src/index.ts";
import { type Environment, readVariable } from "./credentials.ts";

/** @param log gets a line for each request, without the key; null: nothing */
export function createClient(options: {
  readonly url: string;
  readonly token: string | TokenSource;
  readonly log: ((line: string) => void) | null;
}): Slipway {
  const { url, token, log } = options;
  return new Slipway({ url, token, ...(log === null ? {} : { logger: { debug: log } }) });
}

/** The token of a job of CI: for what its platform put into `SLIPWAY_ID_TOKEN`, or else for what GitHub Actions signs. */
export function tokenOfJob(url: string, trustId: string, env: Environment): TokenSource {
  const given = readVariable(env, "SLIPWAY_ID_TOKEN");
  const audience = readVariable(env, "SLIPWAY_WORKLOAD_AUDIENCE") ?? new URL(url).origin;
  const idToken = given === null ? githubIdToken(audience, env) : () => Promise.resolve(given);
  return workloadToken({ url, trustId, idToken });
}
