import { fetchAsPage } from "./page-key.ts";

/** Answers of the API that `early.ts` asked for before this program was there, by their addresses on this server. */
export type EarlyAnswers = Map<string, Promise<Response>>;

declare global {
  // oxlint-disable-next-line no-var -- only `var` declares a property of `globalThis`
  var slipwayEarly: EarlyAnswers | undefined;
}

/** Early answers are used only until the page is this old. */
const FRESH_MS = 30_000;

// Signals to `early.ts` that the program is loaded already.
globalThis.slipwayEarly ??= new Map();

/** As `fetch`; an answer that is on its way already is taken instead, once. */
export const fetchOnce: typeof fetch = async (input, init) => {
  const early = globalThis.slipwayEarly;
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const address = pathname + search;
  const answer = isPlainRead(init) ? early?.get(address) : undefined;
  early?.delete(address);
  // A write makes the rest old.
  if (init?.method !== "GET") early?.clear();
  return await (answer === undefined || performance.now() > FRESH_MS ? fetchAsPage(input, init) : answer);
};

/** Drops all early answers: another user may be signed in now. */
export function forgetEarly(): void {
  globalThis.slipwayEarly?.clear();
}

/** Whether a request is like those of `early.ts`: nothing but its address decides its answer. */
function isPlainRead({ method, headers }: RequestInit = {}): boolean {
  return method === "GET" && [...new Headers(headers).keys()].join(",") === "accept";
}
