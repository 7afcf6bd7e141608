/** The user's return from a DNS provider to an address of the console. */
import { ApiError } from "../../../sdk/src/errors.ts";
import { slipway } from "./client.ts";

export type ConnectSearch = { readonly state?: string; readonly error?: string };

/** Ends a Domain Connect flow. @returns the message to show. Only the DNS shows which records were set. */
export async function endConnect(domainId: string, { state, error }: ConnectSearch): Promise<string> {
  try {
    await slipway.domains.endConnect(domainId, {
      state: state ?? "none",
      ...(error === undefined ? {} : { error: error.slice(0, 200) }),
    });
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem;
    return "This return address has expired, or another user began it. Records that are set in the DNS appear here.";
  }
  if (error === undefined) return "Looking at the DNS. What the provider set appears here.";
  return error === "access_denied"
    ? "Nothing was agreed at the DNS provider. Set the records by hand, or try again."
    : "The DNS provider could not do it. Set the records by hand, or try again.";
}
