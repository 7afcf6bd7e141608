import { Slipway } from "../../../sdk/src/index.ts";

/** @param log gets a line for each request, without the key; null: nothing */
export function createClient(options: {
  readonly url: string;
  readonly token: string;
  readonly log: ((line: string) => void) | null;
}): Slipway {
  const { url, token, log } = options;
  return new Slipway({ url, token, ...(log === null ? {} : { logger: { debug: log } }) });
}
