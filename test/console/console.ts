/** What the flows of the console share: its build, signing in, and what every shown page must keep to. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { buildIfStale } from "../../console/build.js";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { ADMIN_KEY, type Instance } from "../helpers/instance.ts";

/** A browser, with the console as it is in the sources. */
export async function openConsole(options: { width?: number; height?: number } = {}): Promise<Browser> {
  assert.equal(buildIfStale(), null);
  return await openBrowser(options);
}

/** Signs in from any page, or from none. */
export async function signIn(page: Page, instance: Instance, key: string = ADMIN_KEY): Promise<void> {
  await page.goto(`${instance.url}/console/sign-in`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
}

/** Opens a page of the console. @param address below `/console`, such as `/projects` */
export async function open(page: Page, instance: Instance, address: string, heading: string): Promise<void> {
  await page.goto(`${instance.url}/console${address}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await untilSettled(page);
}

/** Waits until nothing on the page is a skeleton any more, and nothing is being loaded. */
export async function untilSettled(page: Page): Promise<void> {
  const skeletons = page.locator('[role="status"][aria-label^="Loading"], [aria-busy="true"]');
  await until(async () => (await skeletons.count()) === 0, "the page is filled");
}

/** Fails for any finding of axe on the page as it is now. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  // In the page itself: its other mode opens a page for each look, and ours have no frames.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  }));
  assert.deepEqual(found, [], where);
}

/** Fails if the page is wider than its window. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  assert.ok(overflow <= 0, `${where} is ${overflow} px too wide`);
}
