/** What a command has to work with. */
import { cwd } from "node:process";
import type { Slipway } from "../../sdk/src/index.ts";
import type { Prompt } from "./input/prompt.ts";
import type { Output } from "./output/output.ts";
import { type Connection, chooseConnection } from "./session/choose-connection.ts";
import { type Environment, readCredentials } from "./session/credentials.ts";
import { findLink, type Link } from "./session/link-file.ts";
import type { Input } from "./table/input.ts";

export type Context = {
  readonly env: Environment;
  readonly output: Output;
  readonly prompt: Prompt;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** A client of the chosen server. @throws CommandError without a key */
  client(): Promise<Slipway>;
  connection(): Promise<Connection>;
  /** What this folder is linked to, if that is on the chosen server. */
  link(): Promise<Link | null>;
  /** Sets what to say if the command is interrupted or times out: what continues, and how to come back to it. */
  resumeBy(text: string): void;
};

export type ContextOptions = Pick<Context, "env" | "output" | "prompt" | "stdin" | "signal" | "resumeBy"> & {
  readonly input: Input;
};

export function createContext({ input, ...given }: ContextOptions): Context {
  const { env, output } = given;
  let chosen: Promise<Connection> | null = null;
  let client: Promise<Slipway> | null = null;
  const choose = async (): Promise<Connection> =>
    chooseConnection(
      { url: input.text("url"), profile: input.text("profile") },
      env,
      await findLink(cwd()),
      await readCredentials(env),
    );
  const connection = (): Promise<Connection> => (chosen ??= choose());
  const connect = async (): Promise<Slipway> => {
    const [{ createClient, tokenOfJob }, { url, token: key, trustId }] = await Promise.all([
      import("./session/create-client.ts"),
      connection(),
    ]);
    const token = trustId === null ? key : tokenOfJob(url, trustId, env);
    return createClient({ url, token, log: input.isSet("debug") ? output.note : null });
  };
  return {
    ...given,
    connection,
    client: () => (client ??= connect()),
    async link() {
      const found = await findLink(cwd());
      if (found === null) return null;
      const { url } = await connection();
      return new URL(found.link.url).origin === new URL(url).origin ? found.link : null;
    },
  };
}
