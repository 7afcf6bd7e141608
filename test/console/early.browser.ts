/**
 * Each page's requests before the program has loaded (`console/app/early/reads.ts`): everything that the page needs to
 * be shown, once, and nothing that it does not use. On a slow network a page then costs one round trip beside its
 * program. Within 2.5 s the largest part of a page must be shown on a slow phone. The network's part of that
 * time is calculated from the bytes sent, which are the same on any machine; the rest is the browser's
 * (`npm run bench:console`).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Page, Request, Route } from "playwright-core";
import { findEarly } from "../../console/app/early/find-early.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { openConsole, signIn, untilSettled } from "./console.ts";
import { fill, type Filled } from "./filled.ts";
import { PAGES } from "./pages.ts";

const ROUTES = Object.keys(PAGES);
const ROUND_TRIP_MS = 150;
const BYTES_PER_MS = 1_600 / 8;
/** For a connection, the page's index, the first script, and what that asks for. */
const ROUND_TRIPS = 4;
const NETWORK_MAX_MS = 1_600;

describe("what a page of the console asks for first", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  let filled: Filled;
  /** Files that were preloaded in a way in which the page does not use them. */
  const loadedAgain: string[] = [];

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    receiver = await startReceiver();
    filled = await fill(instance, receiver.url);
    await signIn(page, instance);
    page.on("console", (one) => {
      if (one.text().includes("credentials mode")) loadedAgain.push(one.text());
    });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await receiver.close();
  });

  it("is known of every page", () => {
    const index = readFileSync("console/dist/index.html", "utf8");
    const files: unknown = JSON.parse(/id="page-files">(.*?)<\/script>/.exec(index)?.[1] ?? "{}");
    // The page that leads back to a preview has no case of its own.
    assert.deepEqual(Object.keys(files as object).toSorted(), [...ROUTES, "/open-preview"].toSorted());
  });

  /** What the network of the profile takes for these. */
  async function networkMs(requests: readonly Request[]): Promise<number> {
    const sizes = await Promise.all(requests.map((one) => one.sizes()));
    const bytes = sizes.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0);
    return ROUND_TRIPS * ROUND_TRIP_MS + bytes / BYTES_PER_MS;
  }

  for (const [route, { address, heading, fillMore }] of Object.entries(PAGES))
    it(`shows ${route} with one round trip, and is needed`, async () => {
      filled = (await fillMore?.(instance, filled)) ?? filled;
      const place = new URL(`/console${address(filled)}`, instance.url);
      const early = findEarly(place, ROUTES)?.reads ?? [];
      const asked: string[] = [];
      const held: Route[] = [];
      let isHeld = true;
      await page.route(/\/v1\/(?!events)/, async (one) => {
        const { pathname, search } = new URL(one.request().url());
        asked.push(pathname + search);
        // With a filter in the address, its lists are only known to the program.
        if (isHeld && place.search === "" && !early.includes(pathname + search)) held.push(one);
        else await one.continue();
      });
      const loaded: Request[] = [];
      // Text is shown in the system's letters until the fonts are there, and what changed meanwhile is asked for later.
      const isLater = (one: Request) => one.resourceType() === "font" || one.url().includes("/v1/events");
      // The cache is off, which would give a file that a script preloaded.
      const isCached = (one: Request) => loaded.some((other) => other.url() === one.url());
      // The page before may still be answered.
      const begun = new Set<Request>();
      const begin = (one: Request): void => {
        if (one.isNavigationRequest()) begun.clear();
        begun.add(one);
      };
      const note = (one: Request): void =>
        void (!begun.has(one) || isLater(one) || isCached(one) || loaded.push(one));
      page.on("request", begin);
      page.on("requestfinished", note);
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
      await page.goto(place.href);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      page.off("requestfinished", note);
      page.off("request", begin);
      const ms = await networkMs(loaded);
      await cdp.detach();
      assert.ok(ms <= NETWORK_MAX_MS, `${route} takes the network ${Math.round(ms)} ms`);
      isHeld = false;
      await Promise.all(held.map((one) => one.continue()));
      await untilSettled(page);
      const left = () => page.evaluate<string[]>("[...slipwayEarly.keys()]");
      await until(async () => (await left()).length === 0, `${String(await left())} is needed by ${route}`);
      for (const one of early) assert.ok(asked.includes(one), `${one} is asked for`);
      await page.unrouteAll();
      assert.deepEqual(loadedAgain, []);
      browser.assertSound();
    });

  it("is asked for before the program is there", async () => {
    let release: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/assets\/index-[^/]+[.]js$/, async (one) => {
      await waits;
      await one.continue();
    });
    const place = `/groups/${filled.groupId}`;
    const early = findEarly({ pathname: `/console${place}`, search: "" }, ROUTES);
    const arrived = (early?.reads ?? []).map((address) => page.waitForResponse(`${instance.url}${address}`));
    const file = page.waitForResponse(/\/assets\/group-[^/]+[.]js$/);
    await page.goto(`${instance.url}/console${place}`, { waitUntil: "commit" });
    await Promise.all([...arrived, file]);
    release();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.unrouteAll();
    browser.assertSound();
  });
});
