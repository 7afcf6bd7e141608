import { CommandError, EXIT, UsageError } from "../output/failure.ts";
import type { Credentials, Environment } from "./credentials.ts";
import type { FoundLink } from "./link-file.ts";

/** The server and the key of a command, and where both come from. */
export type Connection = {
  readonly url: string;
  readonly urlFrom: string;
  readonly token: string;
  readonly tokenFrom: string;
  /** The profile whose key it is; null for a key of the environment. */
  readonly profile: string | null;
  /** The trust under which a job of CI gets its token, which is empty then; null with a key. */
  readonly trustId: string | null;
};

type Asked = { readonly url: string | undefined; readonly profile: string | undefined };

/**
 * Chooses the server, and a key that may go there. Pure.
 *
 * A job of CI may have `SLIPWAY_WORKLOAD_TRUST` in place of `SLIPWAY_TOKEN`. A stored key only goes to the server it was stored for. `SLIPWAY_TOKEN` goes where its owner sends it: to `--url` or
 * `SLIPWAY_URL` (both, if they agree), or to the server of a profile. A link alone never attracts it, because a
 * repository brings the link along.
 * @throws UsageError, or CommandError if there is no key
 */
export function chooseConnection(
  asked: Asked,
  env: Environment,
  found: FoundLink | null,
  credentials: Credentials,
): Connection {
  const byName = (name: string) => credentials.profiles[name];
  if (asked.profile !== undefined && byName(asked.profile) === undefined)
    throw new UsageError(
      `There is no profile ${asked.profile}.`,
      `Stored are: ${Object.keys(credentials.profiles).join(", ") || "none"}. slipway login --profile ${asked.profile} stores it.`,
    );
  const { url, urlFrom } = chooseUrl(asked, env, found, credentials);
  const origin = new URL(url).origin;
  const stored = (name: string): Connection => ({
    url,
    urlFrom,
    token: byName(name)?.token ?? "",
    tokenFrom: `profile ${name}`,
    profile: name,
    trustId: null,
  });
  const isOf = (name: string): boolean => {
    const profile = byName(name);
    return profile !== undefined && new URL(profile.url).origin === origin;
  };
  if (asked.profile !== undefined) {
    if (isOf(asked.profile)) return stored(asked.profile);
    throw noKey(origin, `The key of profile ${asked.profile} is for another server, and is not sent there.`);
  }
  const given = ["SLIPWAY_TOKEN", "SLIPWAY_WORKLOAD_TRUST"].find((name) => (env[name] ?? "") !== "");
  const names = Object.keys(credentials.profiles);
  if (given !== undefined) {
    const own = env["SLIPWAY_URL"];
    const isForHere =
      own !== undefined && own !== ""
        ? URL.canParse(own) && new URL(own).origin === origin
        : asked.url !== undefined || names.some(isOf);
    const text = env[given]?.trim() ?? "";
    const by = given === "SLIPWAY_TOKEN" ? { token: text, trustId: null } : { token: "", trustId: text };
    if (isForHere) return { url, urlFrom, ...by, tokenFrom: given, profile: null };
    if (own === undefined || own === "")
      throw noKey(
        origin,
        `${given} is not used there, because only a link names that server. Set SLIPWAY_URL, too.`,
      );
  }
  const name = [...(credentials.current === null ? [] : [credentials.current]), ...names].find(isOf);
  if (name === undefined) throw noKey(origin, null);
  return stored(name);
}

function chooseUrl(
  asked: Asked,
  env: Environment,
  found: FoundLink | null,
  { current, profiles }: Credentials,
): { readonly url: string; readonly urlFrom: string } {
  const named = (name: string) => ({ url: profiles[name]?.url ?? "", urlFrom: `profile ${name}` });
  if (asked.url !== undefined) return { url: checkUrl(asked.url, "--url"), urlFrom: "--url" };
  if (asked.profile !== undefined) return named(asked.profile);
  const own = env["SLIPWAY_URL"];
  if (own !== undefined && own !== "") return { url: checkUrl(own, "SLIPWAY_URL"), urlFrom: "SLIPWAY_URL" };
  if (found !== null) return { url: found.link.url, urlFrom: found.file };
  if (current !== null && profiles[current] !== undefined) return named(current);
  throw new CommandError("There is no server to ask.", {
    code: "NOT_LOGGED_IN",
    exitCode: EXIT.REFUSED,
    hint: "Run slipway login, or set SLIPWAY_URL and SLIPWAY_TOKEN.",
  });
}

/** @returns it, with a scheme if it has none, and no slash at its end */
export function checkUrl(text: string, from: string): string {
  const scheme = /^(?:localhost|127[.]|\[::1\])/.test(text) ? "http" : "https";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${scheme}://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== "" ||
    url.hash !== ""
  )
    throw new UsageError(`${from} must be the address of a server, such as https://slipway.example.com.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function noKey(origin: string, why: string | null): CommandError {
  return new CommandError(`There is no key for ${origin}.${why === null ? "" : ` ${why}`}`, {
    code: "NOT_LOGGED_IN",
    exitCode: EXIT.REFUSED,
    hint: `Run slipway login --url ${origin}`,
  });
}
