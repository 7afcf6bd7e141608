/** What the flows of the console share: its build, signing in, and what every shown page must keep to. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result } from "axe-core";
import type { Locator, Page } from "playwright-core";
import { buildIfStale } from "../../console/build.js";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { ADMIN_KEY, type Instance } from "../helpers/instance.ts";

/** A browser, with the console as it is in the sources. */
export async function openConsole(options: Parameters<typeof openBrowser>[0] = {}): Promise<Browser> {
  assert.equal(buildIfStale(), null);
  return await openBrowser(options);
}

/** Signs in from any page, or from none. */
export async function signIn(
  page: Page,
  instance: Pick<Instance, "url">,
  key: string = ADMIN_KEY,
): Promise<void> {
  await page.goto(`${instance.url}/console/sign-in`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
}

/** Opens a page of the console. @param address below `/console`, such as `/projects` */
export async function open(
  page: Page,
  instance: Pick<Instance, "url">,
  address: string,
  heading: string,
): Promise<void> {
  await page.goto(`${instance.url}/console${address}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await untilSettled(page);
}

/** Waits until nothing on the page is a skeleton any more, and nothing is being loaded. */
export async function untilSettled(page: Page): Promise<void> {
  const skeletons = page.locator('[role="status"][aria-label^="Loading"], [aria-busy="true"]');
  await until(async () => (await skeletons.count()) === 0, `${page.url()} is filled`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Ends what moves or fades: text that is half there has too little contrast. A dialog begins to fade with the next
 * frames, and a page behind another has none.
 */
const END_FADES = `Promise.race([
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  new Promise((resolve) => setTimeout(resolve, 500)),
]).then(() => {
  for (const one of document.getAnimations())
    if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish();
})`;

/** Fails for any finding of axe on the page as it is now. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  // A document keeps it. Reading it again would take longer than a search for faults.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  await page.evaluate(END_FADES);
  // A description of the elements without a fault takes longer than the search, too.
  const violations = await page.evaluate<readonly Result[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  }));
  assert.deepEqual(found, [], where);
}

/** Fails if the page is wider than its window. Just after the window was resized, it may not be laid out yet. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const overflow = () =>
    page.evaluate<number>("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
  await until(async () => (await overflow()) === 0, `${where} is not wider than its window`, 5_000);
}

/** Fails for a table whose last columns are cut off, or with a cell whose text reaches into the next. */
export async function assertShowsTables(page: Page, where: string): Promise<void> {
  const cut = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll("main table")].filter((table) => [table.parentElement, ...table.querySelectorAll("[data-wraps=true]")].some((box) => box.scrollWidth > box.clientWidth + 1)).map(({ caption }) => caption.textContent)`,
    );
  await until(async () => (await cut()).length === 0, `${where}: ${String(await cut())} is not cut`, 5_000);
}

/** Fails if only a colour or a shape shows a status. */
export async function assertSaysStatuses(page: Page, where: string): Promise<void> {
  const silent = await page.evaluate<string[]>(
    `[...document.querySelectorAll("[data-status]")].filter((one) => one.innerText.trim() === "").map((one) => one.outerHTML)`,
  );
  assert.deepEqual(silent, [], where);
}

/** Text that only a program would write: a path of the API, an instant, the name of a field or of a constant. */
const FOR_PROGRAMS = `[...document.querySelectorAll("main, dialog")].flatMap((part) => {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("code, pre, textarea, script, [data-literal]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const found = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (/\\/v1\\/|\\d{4}-\\d\\d-\\d\\dT|(?<![\\w.@/-])[a-z]+[A-Z][a-z]\\w*\\b(?!\\()|\\b[A-Z]{2,}_[A-Z_]+\\b/.test(node.data)) found.push(node.data);
  return found;
})`;

/** Fails for text that is meant for programs where people read. Text to copy stands in `code` or has `data-literal`. */
export async function assertForPeople(page: Page, where: string): Promise<void> {
  assert.deepEqual(await page.evaluate<string[]>(FOR_PROGRAMS), [], where);
}

/**
 * How far the content has moved since the page was opened: the sum of its layout shifts. The CLS counts only the worst
 * second or so, and is at most this sum. Shifts that follow the user's input do not count.
 */
export async function shiftOf(page: Page): Promise<{ readonly sum: number; readonly what: string }> {
  return await page.evaluate(`new Promise((resolve) => {
    const shifts = [];
    const watch = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
    watch.observe({ type: "layout-shift", buffered: true });
    // Entries of the past come with the next frames.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
      shifts.push(...watch.takeRecords());
      const counted = shifts.filter(({ hadRecentInput }) => !hadRecentInput);
      const moved = counted.flatMap(({ sources }) => sources.map(({ node, previousRect, currentRect }) =>
        [previousRect, currentRect].map(({ y, height }) => Math.round(y) + "+" + Math.round(height)).join(" to ") +
        " " + node?.textContent.slice(0, 40) + " in " + node?.parentElement?.outerHTML.slice(0, 160)));
      resolve({ sum: counted.reduce((sum, { value }) => sum + value, 0), what: moved.join("; ") });
    })));
  })`);
}

/** Whether all of something is in the window. */
export async function isInside(one: Locator): Promise<boolean> {
  const box = await one.boundingBox();
  const size = one.page().viewportSize();
  return (
    box !== null &&
    size !== null &&
    box.y >= 0 &&
    box.x >= 0 &&
    box.y + box.height <= size.height &&
    box.x + box.width <= size.width
  );
}
