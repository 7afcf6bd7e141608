/** Failures of an ACME server, sorted by what to do. */

/** What a failure concerns: one name, or everything at this CA. */
export type AcmeScope = "name" | "directory";

export class AcmeError extends Error {
  override readonly name = "AcmeError";
  /**
   * The last part of an ACME error type (RFC 8555, 6.7), or `unreachable`, `timeout`, `tls`, `malformedAnswer`,
   * `serverError`, `notFound`.
   */
  readonly type: string;
  /** The server says not to try before (milliseconds since 1970). */
  readonly retryAt: number | null;
  readonly scope: AcmeScope;

  constructor(
    type: string,
    message: string,
    options: { readonly retryAt?: number | null; readonly scope?: AcmeScope; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = type;
    this.retryAt = options.retryAt ?? null;
    this.scope = options.scope ?? (DIRECTORY_TYPES.has(type) ? "directory" : "name");
  }
}

/** About the account or the server, whatever name was asked for. */
const DIRECTORY_TYPES: ReadonlySet<string> = new Set([
  "unreachable",
  "timeout",
  "tls",
  "malformedAnswer",
  "serverError",
  "serverInternal",
  "badNonce",
  "externalAccountRequired",
  "accountDoesNotExist",
  "userActionRequired",
  "invalidContact",
  "unsupportedContact",
  "invalidProfile",
]);

const PREFIX = "urn:ietf:params:acme:error:";

/** A problem document (RFC 7807) as an ACME server sends it. */
export type Problem = { readonly type: string; readonly detail: string };

/** Takes what is usable from an answer; null if it is not a problem document. */
export function readProblem(value: unknown): Problem | null {
  if (typeof value !== "object" || value === null) return null;
  const { type, detail, subproblems } = value as Record<string, unknown>;
  // RFC 8555, 6.7.1: with one identifier in each order, the first says what is wrong.
  const inner: Problem | null = Array.isArray(subproblems) ? readProblem(subproblems[0]) : null;
  if (inner !== null) return inner;
  if (typeof type !== "string" || !type.startsWith(PREFIX)) return null;
  return { type: type.slice(PREFIX.length), detail: plain(typeof detail === "string" ? detail : "") };
}

/**
 * When a server allows the next try: `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). Never more than
 * a week ahead, whatever a server says. Null if it says nothing that can be read.
 */
export function readRetryAfter(header: unknown, now: number): number | null {
  if (typeof header !== "string" || header.trim() === "") return null;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
  const date = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
  const at = seconds === null ? date : now + seconds * 1_000;
  return Number.isNaN(at) ? null : Math.min(Math.max(at, now), now + 7 * 86_400_000);
}

/** One line of at most 300 characters, without control characters. */
function plain(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

const TLS_CODES =
  /^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|EPROTO)/;

/** A request that got no answer, as an error with a sentence. */
export function toUnanswered(cause: unknown, directory: string): AcmeError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const options = { scope: "directory", cause } as const;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return new AcmeError(
      "tls",
      `The certificate of the CA at ${directory} is not valid now (${code}). Check this machine's clock first.`,
      options,
    );
  if (TLS_CODES.test(code))
    return new AcmeError(
      "tls",
      `The connection to the CA at ${directory} is not trusted (${code}). If it is a CA of your own, set SLIPWAY_ACME_CA_FILE to the certificate that signed its server certificate.`,
      options,
    );
  if (code === "ECONNABORTED" || code === "ETIMEDOUT" || code === "ERR_CANCELED")
    return new AcmeError("timeout", `The CA at ${directory} did not answer in time.`, options);
  return new AcmeError(
    "unreachable",
    `The CA at ${directory} cannot be reached${code === "" ? "" : ` (${code})`}. Check SLIPWAY_ACME_DIRECTORY and that this machine may open HTTPS connections to it.`,
    options,
  );
}

/** The sentence for a problem that the CA sent about a request or a validation. */
export function explainProblem({ type, detail }: Problem, name: string): string {
  const said = detail === "" ? `(${type})` : `(${type}: ${detail})`;
  switch (type) {
    case "caa":
      return `The CAA records of ${name} do not let the CA issue for it ${said}. Add a CAA record for this CA, or remove the others.`;
    case "rejectedIdentifier":
    case "unsupportedIdentifier":
      return `The CA does not issue certificates for ${name} ${said}. Use another name, or another CA.`;
    case "rateLimited":
      return `The CA has reached a rate limit for ${name} ${said}. Slipway tries again when the CA allows it.`;
    case "dns":
      return `The CA could not look up ${name} ${said}. Check the DNS records and their name servers.`;
    case "connection":
    case "tls":
      return `The CA could not connect to ${name} ${said}. Check that ports 80 and 443 of this server are open to the internet, on all addresses of the name.`;
    case "unauthorized":
    case "incorrectResponse":
      return `The CA did not get Slipway's answer at ${name} ${said}. Check that the name leads only to this server.`;
    default:
      return `The CA refused ${name} ${said}.`;
  }
}
