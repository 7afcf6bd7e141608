/** The way of a browser from a protected preview through the console and back. */
import { ApiError } from "../../../sdk/src/errors.ts";
import { slipway } from "./client.ts";

export type OpenSearch = { readonly url?: string; readonly state?: string };

/** Where the browser goes next; null if the user sees no such preview, or the address is not one. */
export async function findEntry({ url = "", state = "" }: OpenSearch): Promise<string | null> {
  try {
    return (await slipway.previews.open({ url, state })).url;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}
