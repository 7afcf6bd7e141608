import { CommandError, EXIT, UsageError } from "./failure.ts";
import { type Credentials, type Environment, findProfile, readVariable } from "./credentials.ts";
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
 * A job of CI may have `SLIPWAY_WORKLOAD_TRUST` in place of `SLIPWAY_TOKEN`. A stored key is only sent to the server
 * that it was stored for. `SLIPWAY_TOKEN` is sent where its owner says: to `--url` or `SLIPWAY_URL` (both, if they
 * agree), or to the server of a profile. A link is not enough, because a repository brings the link along.
 * @throws UsageError, or CommandError if there is no key
 */
export function chooseConnection(
  asked: Asked,
  env: Environment,
  found: FoundLink | null,
  credentials: Credentials,
): Connection {
  const profile = asked.profile === undefined ? null : findProfile(credentials, asked.profile);
  if (asked.profile !== undefined && profile === null)
    throw new UsageError(
      `There is no profile ${asked.profile}.`,
      `Stored profiles: ${Object.keys(credentials.profiles).join(", ") || "none"}. slipway login --profile ${asked.profile} stores one.`,
    );
  const given = profile === null ? readEnvironment(env) : { url: null, credential: null };
  const { url, urlFrom } = chooseUrl(asked, given.url, found, credentials);
  const origin = new URL(url).origin;
  const stored = (name: string): Connection => {
    const tokenFrom = `profile ${name}`;
    const token = requireKey(findProfile(credentials, name)?.token ?? "", tokenFrom);
    return { url, urlFrom, token, tokenFrom, profile: name, trustId: null };
  };
  const isOf = (name: string): boolean => {
    const { url: own } = findProfile(credentials, name) ?? { url: null };
    return own !== null && new URL(own).origin === origin;
  };
  if (asked.profile !== undefined) {
    if (isOf(asked.profile)) return stored(asked.profile);
    throw noKey(origin, `The key of profile ${asked.profile} is for another server, and is not sent there.`);
  }
  const names = Object.keys(credentials.profiles);
  if (given.credential !== null) {
    const { name, ...credential } = given.credential;
    const isForHere =
      given.url === null ? asked.url !== undefined || names.some(isOf) : new URL(given.url).origin === origin;
    if (isForHere) {
      if (credential.trustId === null) requireKey(credential.token, name);
      return { url, urlFrom, ...credential, tokenFrom: name, profile: null };
    }
    if (given.url === null)
      throw noKey(
        origin,
        `${name} is not sent to that server, because only a link names it. To send it, also set SLIPWAY_URL.`,
      );
  }
  const name = [...(credentials.current === null ? [] : [credentials.current]), ...names].find(isOf);
  if (name === undefined) throw noKey(origin, null);
  return stored(name);
}

/** What the variables of the environment say, in the one form in which everything else uses it. */
function readEnvironment(env: Environment) {
  const own = readVariable(env, "SLIPWAY_URL");
  const token = readVariable(env, "SLIPWAY_TOKEN");
  const trustId = readVariable(env, "SLIPWAY_WORKLOAD_TRUST");
  const credential =
    token !== null
      ? { name: "SLIPWAY_TOKEN", token, trustId: null }
      : trustId !== null
        ? { name: "SLIPWAY_WORKLOAD_TRUST", token: "", trustId }
        : null;
  return { url: own === null ? null : checkUrl(own, "SLIPWAY_URL"), credential };
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:[.]\d+){3}|\[::1\])$/.test(host);

/** Why a text cannot be an API key, without showing it; null if it can. */
export function findKeyFault(text: string): string | null {
  if (text === "") return "it is empty";
  const at = /[^\x21-\x7e]/u.exec(text);
  if (at === null) return null;
  const [character] = at;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const what = /\s/.test(character) ? "a blank" : `U+${code}`;
  return `its character ${at.index + 1} is ${what}, which no key has; copy it again, without quotes`;
}

function requireKey(text: string, from: string): string {
  const fault = findKeyFault(text);
  if (fault === null) return text;
  throw new CommandError(`The key of ${from} is not an API key: ${fault}.`, {
    code: "INVALID_KEY",
    exitCode: EXIT.REFUSED,
    hint: from === "SLIPWAY_TOKEN" ? "Set SLIPWAY_TOKEN to the key itself." : "Run slipway login again.",
  });
}

function chooseUrl(
  asked: Asked,
  own: string | null,
  found: FoundLink | null,
  credentials: Credentials,
): { readonly url: string; readonly urlFrom: string } {
  const { current } = credentials;
  const named = (name: string) => ({
    url: findProfile(credentials, name)?.url ?? "",
    urlFrom: `profile ${name}`,
  });
  if (asked.url !== undefined) return { url: checkUrl(asked.url, "--url"), urlFrom: "--url" };
  if (asked.profile !== undefined) return named(asked.profile);
  if (own !== null) return { url: own, urlFrom: "SLIPWAY_URL" };
  if (found !== null) return { url: checkUrl(found.link.url, found.file), urlFrom: found.file };
  if (current !== null && findProfile(credentials, current) !== null) return named(current);
  throw new CommandError("No server is configured.", {
    code: "NOT_LOGGED_IN",
    exitCode: EXIT.REFUSED,
    hint: "Run slipway login, or set SLIPWAY_URL and SLIPWAY_TOKEN.",
  });
}

/** @returns it, with a scheme if it has none, and no slash at its end */
export function checkUrl(given: string, from: string): string {
  const text = given.trim();
  const scheme = /^(?:localhost|127(?:[.]\d+){3}|\[::1\])(?=[:/]|$)/.test(text) ? "http" : "https";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${scheme}://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.password}` !== "" ||
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
