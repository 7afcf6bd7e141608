/**
 * The first script of the console, a small one: it requests the page's file, and what the page reads, while the program
 * is loading. On a slow network the program takes as long as everything else.
 */
import type { EarlyAnswers } from "./answers.ts";
import { findEarly } from "./find-early.ts";

/**
 * This script requests nothing if the program runs already, such as from the browser's cache, or if the session's page
 * key is still in the address. This script is one file, so it cannot import from `page-key.ts`.
 */
const { hash } = globalThis.location;
const isLate = globalThis.slipwayEarly !== undefined || hash.startsWith("#page-key=");
// The build writes it into the page: the built files of each page, by the path of its route.
const built: Readonly<Record<string, readonly string[]>> = JSON.parse(
  document.querySelector("#page-files")?.textContent ?? "{}",
);
const early = isLate ? null : findEarly(globalThis.location, Object.keys(built));

if (early !== null) {
  // As the SDK sends it (`sdk/src/transport.ts`).
  const init = {
    headers: {
      accept: "application/json",
      "slipway-page-key": globalThis.localStorage.getItem("slipway.page-key") ?? "",
    },
    redirect: "manual",
    cache: "no-store",
    credentials: "same-origin",
  } as const;
  const answers: EarlyAnswers = new Map();
  for (const address of early.reads) {
    const answer = fetch(address, init);
    // The reader that takes the answer handles its failure.
    answer.catch(() => undefined);
    answers.set(address, answer);
  }
  globalThis.slipwayEarly = answers;
  // After the reads: a browser has six connections, and a page has up to twenty small files.
  for (const href of built[early.route] ?? []) {
    const link = document.createElement("link");
    const isStyle = href.endsWith(".css");
    link.rel = isStyle ? "preload" : "modulepreload";
    if (isStyle) {
      link.as = "style";
      // As the page's own link has it: otherwise the browser loads the file again.
      link.crossOrigin = "";
    }
    link.href = href;
    document.head.append(link);
  }
}
