/** A connection string taken apart. It may name several servers, in the form of libpq (PostgreSQL, 34.1.1.2). */

export const WANTED_SERVERS = ["read-write", "primary", "any"] as const;

export type Addresses = {
  /** A connection string for each server, in the order in which they are named; at least one. */
  readonly urls: readonly string[];
  /** Which of them may be used. `any` is not checked. */
  readonly wanted: (typeof WANTED_SERVERS)[number];
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
  const wanted = WANTED_SERVERS.find((kind) => kind === given);
  return wanted === undefined ? null : { urls, wanted };
}
