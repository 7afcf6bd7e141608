/** Why a host gave no answer that can be used. The users of this room say what it means for them. */
export type EgressFault =
  /** The scheme of the URL is not allowed. */
  | "SCHEME_REFUSED"
  /** The name leads to an address that is not public, nor allowed by the operator. */
  | "ADDRESS_REFUSED"
  | "NAME_UNRESOLVED"
  /** No connection in time, including TLS. */
  | "CONNECT_TIMEOUT"
  /** Connected, but no whole answer in time. */
  | "ANSWER_TIMEOUT"
  /** TLS failed: no trusted certificate for this name, or no TLS at all. */
  | "TLS_FAILED"
  | "UNREACHABLE"
  /** The connection was closed before the answer was complete. */
  | "CLOSED"
  | "REDIRECTED"
  | "ANSWER_TOO_LARGE";

/** How far an exchange came, and how long each part took, in ms; null for what was not reached. */
export type Trace = {
  /** The address that was dialled. */
  readonly address: string | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
};

/** No usable answer. The message names the host, has no text of the host's own, and may be shown to who named the host. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly fault: EgressFault;
  /** Null when nothing was dialled. */
  readonly trace: Trace | null;
  constructor(
    fault: EgressFault,
    message: string,
    options: { readonly cause?: unknown; readonly trace?: Trace } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.fault = fault;
    this.trace = options.trace ?? null;
  }
}
