/**
 * Opens every page of the console: both themes, on a desk and on the narrowest phone, while its parts load, and when
 * they are refused. Each page is light on a desk and dark on a phone, and loads on one of both; with
 * `SLIPWAY_TEST_FULL=1`, both on both.
 * `SLIPWAY_TEST_PAGES`, an expression for their paths, opens some; `SLIPWAY_TEST_PICTURES`, a folder, keeps a picture of
 * each.
 */
import assert from "node:assert/strict";
import { glob, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import {
  assertAccessible,
  assertFits,
  assertForPeople,
  assertSaysStatuses,
  assertShowsTables,
  isInside,
  open,
  openConsole,
  shiftOf,
  signIn,
  untilSettled,
} from "./console.ts";
import { fill, type Filled, untilDelivered } from "./filled.ts";
import { leave } from "./keyboard.ts";
import { describeOwnServer } from "./own-server.ts";
import { type LaterReads, takeLaterReads } from "./later-reads.ts";
import { PAGES } from "./pages.ts";
import { assertLooksSame } from "./snapshots.ts";

const APP = path.join(import.meta.dirname, "../../console/app");
/** Have tests of their own. */
const OTHERS = new Set(["/sign-in", "/domain-connect/$domainId", "/open-preview"]);
const CHOSEN = new RegExp(process.env["SLIPWAY_TEST_PAGES"] ?? "");
const PICTURES = process.env["SLIPWAY_TEST_PICTURES"];
const IS_FULL = process.env["SLIPWAY_TEST_FULL"] === "1";
const DESK = { width: 1280, height: 900 };
/** From a tablet to a small laptop. */
const BETWEEN = [768, 900, 1024];
const PHONE = { width: 320, height: 800 };
/** A window of 1280 by 1024 at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 };
/** How far the text that a user reads may move while the rest loads. */
const SHIFT_MAX = 0.01;

describe("every page of the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  let filled: Filled;
  let reads: LaterReads;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole(DESK);
    ({ page } = browser);
    receiver = await startReceiver();
    filled = await fill(instance, receiver.url);
    await signIn(page, instance);
    await untilDelivered(instance.admin, filled.endpointId, "session.created");
    // This instance runs the sandbox.
    await page.route("**/v1/admin/own-server", (route) => route.fulfill({ json: describeOwnServer() }));
    reads = await takeLaterReads(page);
    if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await receiver.close();
  });

  for (const [nth, [route, { address, heading, overlays = [], fillMore }]] of Object.entries(
    PAGES,
  ).entries()) {
    if (!CHOSEN.test(route)) continue;
    const prepare = async () => {
      filled = (await fillMore?.(instance, filled)) ?? filled;
    };
    it(`${route} is accessible and fits, light and dark, on a desk, a phone and zoomed in`, async () => {
      await prepare();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(DESK);
        await open(page, instance, address(filled), heading);
        if (IS_FULL || colorScheme === "light") {
          await look(`${route} ${colorScheme}`, `desk-${colorScheme}`, route);
          await assertShowsTables(page, route);
          await lookAtOverlays(colorScheme);
          for (const width of BETWEEN) {
            await page.setViewportSize({ ...DESK, width });
            await assertFits(page, `${route} at ${width}`);
            await assertShowsTables(page, `${route} at ${width}`);
          }
          await page.setViewportSize(DESK);
          if (colorScheme === "light") await assertLooksSame(page, nameOf(route, "desk"), ["light", "dark"]);
        }
        if (IS_FULL || colorScheme === "dark") {
          await page.setViewportSize(PHONE);
          // The picture of the desk has hidden parts.
          if (IS_FULL) await open(page, instance, address(filled), heading);
          await assertFits(page, route);
          await look(`${route} ${colorScheme} on a phone`, `phone-${colorScheme}`, route);
          await page.setViewportSize(ZOOMED);
          await assertFits(page, `${route} zoomed in`);
          await lookAtOverlays(`${colorScheme} zoomed in`);
          await page.setViewportSize(PHONE);
          if (colorScheme === "dark") await assertLooksSame(page, nameOf(route, "phone"), ["dark", "light"]);
        }
      }
      browser.assertSound();
    });

    it(`${route} is accessible and stays in its place while its parts load, and when they are refused`, async () => {
      await prepare();
      await page.emulateMedia({ colorScheme: "light" });
      const sizes = [
        ["a desk", DESK],
        ["a phone", PHONE],
      ] as const;
      for (const [index, [size, viewport]] of sizes.entries()) {
        if (!IS_FULL && index !== nth % sizes.length) continue;
        await page.setViewportSize(viewport);
        reads.hold();
        await page.goto(`${instance.url}/console${address(filled)}`);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        if (!IS_FULL || size === "a phone") await assertAccessible(page, `${route} while it loads`);
        await reads.release();
        const moved = await shiftOf(page);
        assert.ok(moved.sum <= SHIFT_MAX, `${route} moves by ${moved.sum} on ${size}: ${moved.what}`);
      }
      await page.setViewportSize(PHONE);
      reads.refuse();
      await page.goto(`${instance.url}/console${address(filled)}`);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await untilSettled(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await assertFits(page, `${route} without its parts`);
      await assertAccessible(page, `${route} without its parts`);
      await reads.release();
      browser.assertSound();
    });

    const lookAtOverlays = async (where: string): Promise<void> => {
      for (const { button, entry, dialog } of overlays) {
        const shown = String(button).replaceAll(/[^\w ]/g, "");
        const opener = page.getByRole("button", { name: button, exact: true }).first();
        await opener.focus();
        await page.keyboard.press("Enter");
        if (entry !== undefined) {
          await look(`${route}, ${button}, ${where}`, `${shown}-menu-${where.replaceAll(" ", "-")}`, route);
          await page.getByRole("menuitem", { name: entry }).press("Enter");
        }
        const opened = page.getByRole("dialog", { name: dialog });
        await opened.waitFor();
        await look(`${route}, ${button}, ${where}`, `${shown}-${where.replaceAll(" ", "-")}`, route);
        await assertFits(page, `${route}, ${button}, ${where}`);
        // The last thing of it can be brought into the window, however small that is.
        const last = opened.getByRole("button").last();
        await last.scrollIntoViewIfNeeded();
        assert.ok(await isInside(last), `${route}, ${button}, ${where}: its end is out of reach`);
        await leave(page, opener);
      }
    };
  }

  it("has a case for each route", async () => {
    const routes: string[] = [];
    for await (const file of glob("routes{.tsx,/*.tsx}", { cwd: APP })) {
      const text = await readFile(path.join(APP, file), "utf8");
      routes.push(...[...text.matchAll(/^ {2}path: "([^"]+)",$/gm)].map(([, one = ""]) => one));
    }
    assert.deepEqual(routes.filter((one) => !OTHERS.has(one)).toSorted(), Object.keys(PAGES).toSorted());
  });

  async function look(where: string, name: string, route: string): Promise<void> {
    await assertAccessible(page, where);
    await assertSaysStatuses(page, where);
    await assertForPeople(page, where);
    if (PICTURES === undefined) return;
    await page.screenshot({ path: path.join(PICTURES, `${nameOf(route, name)}.png`), fullPage: true });
  }

  function nameOf(route: string, name: string): string {
    return `${route.slice(1).replaceAll(/[/$]+/g, "-") || "home"}.${name}`;
  }
});
