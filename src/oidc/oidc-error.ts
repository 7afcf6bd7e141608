/**
 * Why a sign-in at a provider failed. `unavailable`: it does not answer. `refused`: it, or the person there, said no.
 * `invalid`: its answer is not for this attempt, or not valid.
 */
export type OidcReason = "unavailable" | "refused" | "invalid";

/** Its message holds no token. */
export class OidcError extends Error {
  override readonly name = "OidcError";
  readonly reason: OidcReason;
  constructor(reason: OidcReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
