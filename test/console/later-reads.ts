/** Lets a page arrive with what it reads first, and keeps back what it reads after that, or refuses it. */
import type { Page, Route } from "playwright-core";

export type LaterReads = {
  /** From now on, what a page reads once it has its heading is not answered. */
  hold(): void;
  /** From now on, it is refused. */
  refuse(): void;
  /** From now on, all is answered, what was held back too. Resolves once the page has it. */
  release(): Promise<void>;
};

/** The server's refusal of a caller without the role; the reads of a page do not retry it. */
const REFUSAL = {
  status: 403,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "/docs/errors/role-too-low",
    title: "The role is too low",
    status: 403,
    code: "ROLE_TOO_LOW",
    detail: "This needs the role admin.",
    instance: "/v1",
    requestId: "00000000-0000-4000-8000-000000000000",
  }),
};

/** Of a page that is signed in. */
export async function takeLaterReads(page: Page): Promise<LaterReads> {
  let mode: "answer" | "hold" | "refuse" = "answer";
  let held: Route[] = [];
  await page.route(/\/v1\/(?!events)/, async (route) => {
    const isLater = mode !== "answer" && (await page.locator("main h1").count()) > 0;
    // Meanwhile it may have been released.
    if (!isLater || mode === "answer") return await route.fallback();
    if (mode === "refuse") return await route.fulfill(REFUSAL);
    held.push(route);
  });
  // What the first script asks for would be there before the heading: then the program asks for everything.
  await page.route(/\/assets\/early-[^/]+[.]js$/, async (route) => {
    if (mode === "answer") await route.continue();
    else await route.fulfill({ contentType: "text/javascript", body: "" });
  });
  return {
    hold: () => void (mode = "hold"),
    refuse: () => void (mode = "refuse"),
    async release() {
      mode = "answer";
      const waiting = held;
      held = [];
      await Promise.all(waiting.map((route) => route.fallback()));
      const skeletons = page.locator('[role="status"][aria-label^="Loading"]');
      for (const one of await skeletons.all()) await one.waitFor({ state: "detached" });
    },
  };
}
