/** A connection string taken apart. It may name several servers, in the form of libpq (PostgreSQL, 34.1.1.2). */

export const SERVER_KINDS = ["read-write", "primary", "any"] as const;

export type Addresses = {
  /** A connection string for each server, in the order in which they are named; at least one. */
  readonly urls: readonly string[];
  /** Which of them may be used. `any` is not checked. */
  readonly required: (typeof SERVER_KINDS)[number];
};

/** Scheme and user; hosts with ports; database and parameters. */
const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * Takes a connection string apart. Slipway writes, so unlike libpq's its default is `read-write`.
 * @returns null if it is none, or names a kind of server that cannot be written to
 */
export function parseAddresses(connectionString: string): Addresses | null {
  const [, before = "", hosts, after = ""] = FORM.exec(connectionString) ?? [];
  if (hosts === undefined) return null;
  const urls = hosts.split(",").map((host) => `${before}${host}${after}`);
  const [first = ""] = urls;
  if (hosts.includes(",") && hosts.split(",").includes("")) return null;
  if (!urls.every((url) => URL.canParse(url))) return null;
  const given = new URL(first).searchParams.get("target_session_attrs") ?? "read-write";
  const required = SERVER_KINDS.find((kind) => kind === given);
  return required === undefined ? null : { urls, required };
}

const ENCODED: Readonly<Record<string, string>> = { "#": "%23", "/": "%2F", "?": "%3F" };

/**
 * Why a text cannot be the address of a database, as the end of a sentence that begins with its name. Null if it can. It
 * may hold a password, of which nothing is shown.
 */
export function findAddressFault(text: string): string | null {
  const [, begin] = /^(postgres(?:ql)?:\/\/)/.exec(text) ?? [];
  if (begin === undefined) return "must be an address that begins with postgres:// or postgresql://.";
  // The first of these characters ends the part with user, password and hosts.
  const [, end, more = ""] = /^[^#/?]*([#/?])(.*)$/s.exec(text.slice(begin.length)) ?? [];
  // Parameters may have an @.
  const beyond = end === "/" ? more.replace(/\?.*$/s, "") : more;
  if (end !== undefined && beyond.includes("@") && (end !== "?" || parseAddresses(text) === null))
    return `has a ${end} in its user name or password, which ends that part of an address. Encode ${end} as ${ENCODED[end] ?? ""}.`;
  if (text.includes("#")) return "has a #, which ends an address. Encode # as %23.";
  if (/%(?![\da-f]{2})/i.test(text))
    return "has a % that is not followed by two hexadecimal digits. Encode % as %25.";
  if (parseAddresses(text) !== null) return null;
  if (/[?&]target_session_attrs=/.test(text) && parseAddresses(text.replace(/\?.*$/s, "")) !== null)
    return `must have a target_session_attrs of ${SERVER_KINDS.join(", ")}, because Slipway writes.`;
  return "has no valid host or port. It has the form postgres://user:password@host:5432/slipway, and may name several hosts as one:5432,two:5432.";
}
