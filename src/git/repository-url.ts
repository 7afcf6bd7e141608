/**
 * Normalizes a repository's address as a user typed it; everything else uses the normalized form.
 *
 * The text is split and checked here before WHATWG's URL parser sees it, because that parser repairs addresses that we
 * want to refuse (it drops newlines, reads `\` as `/`, resolves `..`). Only the host is left to the parser, because
 * connections follow its rules: `0x7f.1` is 127.0.0.1, and an international name becomes A-labels.
 */
import type { Repository } from "./git.ts";

/** Longer than any address of a git host; limits the work done on hostile text. */
const REPOSITORY_URL_CHARACTERS_MAX = 2048;

export type RepositoryUrlFault =
  | "EMPTY"
  | "TOO_LONG"
  | "FORBIDDEN_CHARACTER"
  | "LEADING_DASH"
  | "SCHEME_REFUSED"
  | "HOST_INVALID"
  | "PATH_INVALID";

/** The text is not a repository address that we accept. The message is public, and never repeats user-info. */
export class RepositoryUrlError extends Error {
  override readonly name = "RepositoryUrlError";
  readonly fault: RepositoryUrlFault;
  constructor(fault: RepositoryUrlFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const EXAMPLE = "such as https://github.com/owner/name";

/**
 * Parses `https://host[:port]/path[.git][/]`, and the two SSH forms that git hosts offer, `git@host:owner/name.git` and
 * `ssh://git@host[:port]/owner/name`. These become the same repository over HTTPS, without the SSH port, which does not
 * say the HTTPS port. User-info is dropped: a token belongs in a git integration. `egress` decides whether the host may
 * be dialled.
 * @throws RepositoryUrlError
 */
export function parseRepositoryUrl(text: string): Repository {
  return parseAddress(text, { takesHttp: false });
}

/**
 * Parses an address that only identifies a known repository. It also accepts `http://`, because nothing is requested
 * from the address as written. @throws RepositoryUrlError
 */
export function identifyRepository(text: string): Repository {
  return parseAddress(text, { takesHttp: true });
}

function parseAddress(text: string, allowed: { takesHttp: boolean }): Repository {
  refuseHostileText(text, REPOSITORY_URL_CHARACTERS_MAX, "repository address");
  const { authority, path } = splitAddress(text, allowed);
  const host = parseGitHost(authority);
  const repositoryPath = parseRepositoryPath(path);
  return { normalizedUrl: `https://${host}/${repositoryPath}`, host, path: repositoryPath };
}

/**
 * The form in which addresses of repositories are compared: GitHub and GitLab ignore the case of a path. Takes a
 * normalized address, which has ASCII characters only.
 */
export function repositoryKeyOf(normalizedUrl: string): string {
  return normalizedUrl.toLowerCase();
}

/**
 * Parses a host name or IP address with an optional port, as in `gitlab.example.com:8443`, to the form of
 * `Repository.host`: lower case, A-labels, no trailing dot, and the port only if it is not 443.
 * @throws RepositoryUrlError
 */
export function parseGitHost(text: string): string {
  refuseHostileText(text, 260, "host");
  if (/[/?#@]/.test(text)) {
    throw new RepositoryUrlError(
      "HOST_INVALID",
      "Enter only the host, with a port if needed, such as gitlab.example.com.",
    );
  }
  const url = URL.parse(`https://${text}/`);
  const hostname = url?.hostname.replace(/\.$/, "") ?? "";
  if (url === null || url.port === "0" || !(hostname.startsWith("[") || isHostName(hostname))) {
    throw new RepositoryUrlError(
      "HOST_INVALID",
      `The host is not a valid host name with an optional port. Check the address, ${EXAMPLE}.`,
    );
  }
  return url.port === "" ? hostname : `${hostname}:${url.port}`;
}

function refuseHostileText(text: string, charactersMax: number, what: string): void {
  if (text === "") throw new RepositoryUrlError("EMPTY", `The ${what} is empty.`);
  if (text.length > charactersMax) {
    throw new RepositoryUrlError("TOO_LONG", `The ${what} is longer than ${charactersMax} characters.`);
  }
  // Separators, control and format characters disguise an address, and split lines and arguments.
  if (/[\p{C}\p{Z}\\]/u.test(text)) {
    throw new RepositoryUrlError(
      "FORBIDDEN_CHARACTER",
      `The ${what} contains a space, a line break, a backslash or an invisible character. Remove it.`,
    );
  }
  // No git binary is run, but an address that looks like an option to git is never well meant.
  if (text.startsWith("-")) throw new RepositoryUrlError("LEADING_DASH", `The ${what} begins with "-".`);
}

function splitAddress(
  text: string,
  { takesHttp }: { takesHttp: boolean },
): { authority: string; path: string } {
  const withScheme = /^(https?|ssh):\/\/([^/?#]*)(.*)$/i.exec(text);
  if (withScheme !== null) {
    const [, written = "", authority = "", path = ""] = withScheme;
    const scheme = written.toLowerCase();
    if (scheme === "http" && !takesHttp) {
      throw new RepositoryUrlError(
        "SCHEME_REFUSED",
        "http:// would send the repository and its token unencrypted. Use the https:// address.",
      );
    }
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    return { authority: withoutSchemePort(host, scheme), path: path.replace(/^\//, "") };
  }
  // `user@host:path`; two colons in a row would name one of git's transports, such as `ext::`.
  const scp = /^[A-Za-z0-9._-]+@([^:/?#@]+):(?![:/])(.*)$/.exec(text);
  if (scp !== null) return { authority: scp[1] ?? "", path: scp[2] ?? "" };
  throw new RepositoryUrlError("SCHEME_REFUSED", `Use the repository's https:// address, ${EXAMPLE}.`);
}

/** Drops ports that mean nothing over HTTPS: any port of SSH, and the default one of `http://`. */
function withoutSchemePort(authority: string, scheme: string): string {
  if (scheme === "ssh") return authority.replace(/:\d{1,5}$/, "");
  return scheme === "http" ? authority.replace(/:80$/, "") : authority;
}

/**
 * DNS letters, digits and hyphens (RFC 1123). WHATWG allows other characters, but no host that we could reach has them.
 */
function isHostName(hostname: string): boolean {
  return (
    hostname.length <= 253 &&
    hostname.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  );
}

function parseRepositoryPath(path: string): string {
  if (/[?#]/.test(path)) {
    throw new RepositoryUrlError(
      "PATH_INVALID",
      `The address has a query or a fragment. Use the repository's own address, ${EXAMPLE}.`,
    );
  }
  const withoutSuffix = path.replace(/\/$/, "").replace(/\.git$/, "");
  if (withoutSuffix === "") {
    throw new RepositoryUrlError(
      "PATH_INVALID",
      `The address does not name a repository. Use an address ${EXAMPLE}.`,
    );
  }
  for (const segment of withoutSuffix.split("/")) {
    // The characters that GitHub and GitLab allow in a path. No "%": an encoded "/" or ".." is never needed.
    if (!/^[A-Za-z0-9_.~+][A-Za-z0-9_.~+-]*$/.test(segment) || /^\.{1,2}$/.test(segment)) {
      throw new RepositoryUrlError(
        "PATH_INVALID",
        `The address is not the address of a repository. It must look like ${EXAMPLE.slice("such as ".length)}, with letters, digits and . _ - only.`,
      );
    }
  }
  if (withoutSuffix.endsWith(".git")) {
    throw new RepositoryUrlError("PATH_INVALID", 'The address ends in ".git" twice. Remove one.');
  }
  return withoutSuffix;
}
