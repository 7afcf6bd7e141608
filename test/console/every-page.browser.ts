/**
 * Opens every page of the console: both themes, on a desk and on the narrowest phone. `SLIPWAY_TEST_PAGES`, an expression
 * for their paths, opens some; `SLIPWAY_TEST_PICTURES`, a folder, keeps a picture of each.
 */
import assert from "node:assert/strict";
import { glob, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { assertAccessible, assertFits, open, openConsole, signIn } from "./console.ts";
import { fill, type Filled } from "./filled.ts";
import { PAGES } from "./pages.ts";

const APP = path.join(import.meta.dirname, "../../console/app");
/** Have tests of their own. */
const OTHERS = new Set(["/", "/sign-in"]);
const CHOSEN = new RegExp(process.env["SLIPWAY_TEST_PAGES"] ?? "");
const PICTURES = process.env["SLIPWAY_TEST_PICTURES"];
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 800 };

describe("every page of the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  let filled: Filled;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole(DESK);
    ({ page } = browser);
    receiver = await startReceiver();
    filled = await fill(instance, receiver.url);
    await signIn(page, instance);
    if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await receiver.close();
  });

  it("has a case for each route", async () => {
    const routes: string[] = [];
    for await (const file of glob("routes{.tsx,/*.tsx}", { cwd: APP })) {
      const text = await readFile(path.join(APP, file), "utf8");
      routes.push(...[...text.matchAll(/^ {2}path: "([^"]+)",$/gm)].map(([, one = ""]) => one));
    }
    assert.deepEqual(routes.filter((one) => !OTHERS.has(one)).toSorted(), Object.keys(PAGES).toSorted());
  });

  for (const [route, { address, heading, overlays = [] }] of Object.entries(PAGES)) {
    if (!CHOSEN.test(route)) continue;
    it(`${route} is accessible and fits, light and dark, on a desk and a phone`, async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(DESK);
        await open(page, instance, address(filled), heading);
        await look(`${route} ${colorScheme}`, `desk-${colorScheme}`, route);
        for (const { button, dialog } of overlays) {
          await page.getByRole("button", { name: button, exact: true }).first().click();
          await page.getByRole("dialog", { name: dialog }).waitFor();
          await look(`${route}, ${button}, ${colorScheme}`, `${button}-${colorScheme}`, route);
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        }
        await page.setViewportSize(PHONE);
        await assertFits(page, route);
        await look(`${route} ${colorScheme} on a phone`, `phone-${colorScheme}`, route);
      }
      browser.assertSound();
    });
  }

  async function look(where: string, name: string, route: string): Promise<void> {
    await assertAccessible(page, where);
    if (PICTURES === undefined) return;
    const file = `${route.slice(1).replaceAll(/[/$]+/g, "-")}.${name}.png`;
    await page.screenshot({ path: path.join(PICTURES, file), fullPage: true });
  }
});
