/** Says why a provider cannot be used. Causes of errors hold tokens, so only chosen parts of them are shown. */
import { cutText } from "../lib/cut-text.ts";
import { OidcError } from "./oidc-error.ts";

type Shown = Partial<Record<"name" | "code" | "error" | "message" | "cause", unknown>>;
type Details = Partial<Record<"now" | "claim" | "claims" | "expected" | "attribute" | "body", unknown>>;

/** Why discovery failed, as the end of a sentence. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const { expected, attribute, body } = detailsOf(error);
  const found = typeof body === "object" && body !== null && "issuer" in body ? body.issuer : undefined;
  if (attribute === "issuer" && typeof found === "string" && typeof expected === "string")
    return `it says that its issuer is ${found.slice(0, 300)}, and the configured issuer is ${expected}. Both must be equal, also in a slash at the end`;
  return error.message;
}

/** What a failed sign-in is for the person. */
export function toOidcError(error: unknown, label: string): OidcError {
  if (error instanceof OidcError) return error;
  const { name, code, error: said, cause } = error as Shown;
  const detail = typeof code === "string" ? code : typeof name === "string" ? name : "error";
  if (name === "AuthorizationResponseError")
    return new OidcError("refused", `${label} refused the sign-in: ${cutText(String(said), 100)}.`);
  const isAway =
    code === "OAUTH_TIMEOUT" ||
    (error instanceof TypeError && detail === "TypeError") ||
    // What stands before the provider says that it is down.
    (cause instanceof Response && cause.status >= 500);
  if (isAway) return new OidcError("unavailable", `${label} does not answer.`);
  const clock = describeClock(error);
  return new OidcError("invalid", `What ${label} answered is not valid: ${detail}.${clock ?? ""}`);
}

/** Whose clock is wrong is not known, so both are named. */
function describeClock(error: unknown): string | null {
  const { now, claim, claims } = detailsOf(error);
  if (typeof now !== "number" || typeof claim !== "string") return null;
  const time = (claims as Readonly<Record<string, unknown>> | undefined)?.[claim];
  if (typeof time !== "number") return null;
  const seconds = Math.abs(time - now);
  const side = time > now ? "after" : "before";
  return ` The time in its claim ${claim} is ${seconds} seconds ${side} the clock of Slipway. Compare the clocks of both.`;
}

/** `openid-client` wraps the error of `oauth4webapi`, whose cause has the details. */
function detailsOf(error: unknown): Details {
  const details = (error as Shown)?.cause;
  const inner = details instanceof Error ? (details as Shown).cause : details;
  return typeof inner === "object" && inner !== null ? inner : {};
}
