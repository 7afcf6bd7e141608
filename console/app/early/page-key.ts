/**
 * The half of a session that is not in its cookie. A browser sends a cookie to every port of a host, so also to programs
 * that Slipway's sandbox runs; what is stored here, only pages of this very address can read.
 */
const STORED_AS = "slipway.page-key";
const HEADER = "slipway-page-key";
const { history, localStorage, location } = globalThis;

// A sign-in at an identity provider brings it in the fragment, which no server and no other page gets.
const [, brought] = /^#page-key=([0-9A-Za-z]+)$/.exec(location.hash) ?? [];
if (brought !== undefined) {
  keepPageKey(brought);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** @param pageKey null after a sign-out */
export function keepPageKey(pageKey: string | null): void {
  if (pageKey === null) localStorage.removeItem(STORED_AS);
  else localStorage.setItem(STORED_AS, pageKey);
}

export function storedPageKey(): string | null {
  return localStorage.getItem(STORED_AS);
}

/** As `fetch`, for requests of the session. */
export const fetchAsPage: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const pageKey = storedPageKey();
  if (pageKey !== null) headers.set(HEADER, pageKey);
  return await fetch(input, { ...init, headers });
};
