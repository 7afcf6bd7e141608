/** What a user's command has to work with. */
import { cwd } from "node:process";
import { githubIdToken, Slipway, type TokenSource, workloadToken } from "../../sdk/src/index.ts";
import { type Connection, chooseConnection } from "./connection.ts";
import { type Environment, readCredentials, readVariable } from "./credentials.ts";
import { findLink, type Link } from "./link-file.ts";
import type { Output } from "./output.ts";
import type { Prompt } from "./prompt.ts";

type Given = {
  readonly env: Environment;
  readonly output: Output;
  readonly prompt: Prompt;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted by Ctrl-C. It also aborts every call of the client. */
  readonly signal: AbortSignal;
  /** Sets what to say if the command is interrupted or times out: what continues, and how to come back to it. */
  readonly resumeBy: (text: string) => void;
  /** Sets what the first Ctrl-C does in place of aborting. It aborts if the work fails. */
  readonly interruptBy: (work: () => Promise<void>) => void;
};

export type Context = Given & {
  /** A client of the chosen server. @throws CommandError without a key */
  readonly client: Slipway;
  /** @throws CommandError */
  readonly connection: Connection;
  /** What this folder is linked to, if that is on the chosen server. */
  readonly link: Link | null;
  /** A client of another server, for `login`. */
  readonly connect: (url: string, token: string | TokenSource) => Slipway;
};

/** @param options.isDebug whether a line is printed for each request, without the key */
export function createContext(
  given: Given,
  options: {
    readonly url: string | undefined;
    readonly profile: string | undefined;
    readonly isDebug: boolean;
  },
): Context {
  const { env, output, signal } = given;
  let connection: Connection | null = null;
  let client: Slipway | null = null;
  const connect = (url: string, token: string | TokenSource): Slipway =>
    new Slipway({ url, token, signal, ...(options.isDebug ? { logger: { debug: output.note } } : {}) });
  return {
    ...given,
    connect,
    get connection() {
      return (connection ??= chooseConnection(options, env, findLink(cwd()), readCredentials(env)));
    },
    get client() {
      if (client !== null) return client;
      const { url, token, trustId } = this.connection;
      client = connect(url, trustId === null ? token : tokenOfJob(url, trustId, env));
      return client;
    },
    get link() {
      const found = findLink(cwd());
      if (found === null) return null;
      return new URL(found.link.url).origin === new URL(this.connection.url).origin ? found.link : null;
    },
  };
}

/** The token of a job of CI: for what its platform put into `SLIPWAY_ID_TOKEN`, or else for what GitHub Actions signs. */
function tokenOfJob(url: string, trustId: string, env: Environment): TokenSource {
  const given = readVariable(env, "SLIPWAY_ID_TOKEN");
  const audience = readVariable(env, "SLIPWAY_WORKLOAD_AUDIENCE") ?? new URL(url).origin;
  const idToken = given === null ? githubIdToken(audience, env) : () => Promise.resolve(given);
  return workloadToken({ url, trustId, idToken });
}
