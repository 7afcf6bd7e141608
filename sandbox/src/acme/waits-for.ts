/** The party that has to act before a name gets its certificate. Pure. */
import type { NameError } from "./name-state.ts";

export type Party = "CA" | "OPERATOR" | "CUSTOMER";

/** The owner of the name has to change its DNS records. */
const OF_CUSTOMER: ReadonlySet<string> = new Set([
  "notPointedHere",
  "lookUpFailed",
  "caa",
  "dns",
  "rejectedIdentifier",
  "unsupportedIdentifier",
  "unauthorized",
  "incorrectResponse",
]);
/** The CA allows or answers the next request later. */
const OF_CA: ReadonlySet<string> = new Set([
  "budget",
  "rateLimited",
  "serverInternal",
  "serverError",
  "badNonce",
  "timeout",
  "malformedAnswer",
]);

/** @param isOwn whether the name is one of the server's own, whose records the operator sets */
export function waitsFor(error: Pick<NameError, "type"> | null, isOwn: boolean): Party {
  if (error === null || OF_CA.has(error.type)) return "CA";
  return OF_CUSTOMER.has(error.type) && !isOwn ? "CUSTOMER" : "OPERATOR";
}
