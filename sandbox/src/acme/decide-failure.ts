/** What a CA's refusal means for the request of a certificate. Pure. */

/** `final`: the CA does not issue for this name, with the reason as in `ObservedCertificate.failureReason`. */
export type FailureMeaning =
  | { readonly kind: "final"; readonly reason: string }
  /** A failed check of control: it may succeed later, and counts against a limit. */
  | { readonly kind: "validation" }
  | { readonly kind: "passing" };

/** Types of RFC 8555, 6.7 that a validation ends with. */
const VALIDATION: ReadonlySet<string> = new Set([
  "connection",
  "dns",
  "incorrectResponse",
  "tls",
  "unauthorized",
]);
const FINAL: Readonly<Record<string, string>> = {
  caa: "CAA_ERROR",
  rejectedIdentifier: "DOMAIN_NOT_ALLOWED",
  unsupportedIdentifier: "DOMAIN_NOT_ALLOWED",
};
/** Refusals of the request itself are repeated a few times, in case of a fault of the CA. */
const REPEATS = 3;
const REQUEST: ReadonlySet<string> = new Set(["badCSR", "badPublicKey", "malformed"]);

/** @param failures those in a row, with this one */
export function judgeFailure(type: string, failures: number): FailureMeaning {
  const reason = FINAL[type];
  if (reason !== undefined) return { kind: "final", reason };
  if (VALIDATION.has(type)) return { kind: "validation" };
  if (REQUEST.has(type) && failures > REPEATS) return { kind: "final", reason: type };
  return { kind: "passing" };
}
