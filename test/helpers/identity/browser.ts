/** A browser as far as redirects and cookies go: each host and port has its own cookies. */
export type RedirectBrowser = {
  /** Opens a URL and follows redirects; stops before a URL that `isEnd` accepts. @returns where it stopped */
  open(url: string, isEnd?: (url: URL) => boolean): Promise<{ url: URL; status: number; text: string }>;
  /** All URLs that were opened. */
  readonly visited: readonly URL[];
  /** The cookies for a URL, as a request has them. */
  cookies(url: string): string;
  /** What a page there sends with its requests: the cookies, and the page key that a sign-in has brought. */
  headers(url: string): Readonly<Record<string, string>>;
};

const MOST_REDIRECTS = 15;

export function createRedirectBrowser(): RedirectBrowser {
  const jars = new Map<string, Map<string, string>>();
  const visited: URL[] = [];
  const jarOf = (url: URL): Map<string, string> => {
    const jar = jars.get(url.origin) ?? new Map<string, string>();
    jars.set(url.origin, jar);
    return jar;
  };
  const cookiesFor = (url: URL): string =>
    [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join("; ");
  const pageKeys = new Map<string, string>();
  return {
    visited,
    headers: (url) => ({
      cookie: cookiesFor(new URL(url)),
      "slipway-page-key": pageKeys.get(new URL(url).origin) ?? "",
    }),
    cookies: (url) => cookiesFor(new URL(url)),
    async open(start, isEnd = () => false) {
      let url = new URL(start);
      for (let redirects = 0; redirects < MOST_REDIRECTS; redirects += 1) {
        visited.push(url);
        const answer = await fetch(url, { redirect: "manual", headers: { cookie: cookiesFor(url) } });
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          if (value === "") jarOf(url).delete(name);
          else jarOf(url).set(name, value);
        }
        const location = answer.headers.get("location");
        if (location === null) return { url, status: answer.status, text: await answer.text() };
        await answer.arrayBuffer();
        url = new URL(location, url);
        const [, pageKey] = /^#page-key=(\w+)$/.exec(url.hash) ?? [];
        if (pageKey !== undefined) pageKeys.set(url.origin, pageKey);
        if (isEnd(url)) return { url, status: answer.status, text: "" };
      }
      throw new Error(`${start} redirects without an end: ${visited.map(String).join(" ")}`);
    },
  };
}
