/**
 * Pictures of the console's pages, half as large and without colours, kept in `snapshots/`. A page that looks otherwise
 * fails. `SLIPWAY_TEST_SNAPSHOTS=write node --test test/console/every-page.browser.ts` keeps new pictures: look at them
 * before you commit them. Another release of Chromium draws letters a little differently, so a few pixels may differ.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";

const FOLDER = path.join(import.meta.dirname, "snapshots");
const IS_WRITTEN = process.env["SLIPWAY_TEST_SNAPSHOTS"] === "write";
/**
 * The part of all pixels that may differ visibly. Two runs differ by at most 0.003. Most pixels are paper: all text of a
 * wide page is 0.035, so a single missing part, such as a heading, is below this.
 */
const DIFFERENT_MAX = 0.01;
/** Until then a page may still become what it was: on a slow machine its last parts come late. */
const SETTLES_MS = 10_000;

/**
 * Shows the page in the console's fonts, also if they came too late for it (`font-display: optional`). They have the same
 * letters under other names.
 */
const SHOW_FONTS = `(async () => {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule) || /U\\+100-/i.test(rule.style.getPropertyValue("unicode-range"))) continue;
      const isMono = rule.style.getPropertyValue("font-family").includes("Mono");
      const [, address] = /url\\("?([^")]+)"?\\)/.exec(rule.style.getPropertyValue("src"));
      const font = new FontFace(isMono ? "Mono shown" : "Sans shown", \`url(\${new URL(address, sheet.href)})\`, { weight: "100 900" });
      document.fonts.add(await font.load());
      document.documentElement.style.setProperty(isMono ? "--mono" : "--sans", font.family);
    }
})()`;

/**
 * Hides what is otherwise in each run: ages, durations, ids, hosts and commits. They keep their place, and all ages and
 * durations become equally wide, because the columns of a table depend on them.
 */
const HIDE = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!/\\d+(\\.\\d+)? ?(ms|s|min|h)\\b|\\bago\\b|just now|any moment|sandbox\\.test|127\\.0\\.0\\.1|[0-9a-f]{7,}|…/.test(node.data)) continue;
    node.parentElement.style.visibility = "hidden";
    node.data = node.data
      .replace("just now", "1 min ago")
      .replace("any moment", "in 1 min")
      .replaceAll(/\\d+(\\.\\d+)? ?(ms|s|min|h)\\b( \\d+ ?(s|min)\\b)?/g, "1 min");
  }
  for (const one of document.querySelectorAll("time, code, pre, svg[role=img]")) one.style.visibility = "hidden";
  document.activeElement?.blur();
  scrollTo(0, 0);
})()`;

/** Compares two pictures in a page without a policy. @returns the picture of today, and how much of it differs */
const COMPARE = `async ({ today, kept }) => {
  const draw = (base64) =>
    createImageBitmap(new Blob([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], { type: "image/webp" }));
  const image = await draw(today);
  const [width, height] = [Math.ceil(image.width / 2), Math.ceil(image.height / 2)];
  const pixels = (one) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.filter = "grayscale(1)";
    context.drawImage(one, 0, 0, width, height);
    return { canvas, data: context.getImageData(0, 0, width, height).data };
  };
  const now = pixels(image);
  const blob = await now.canvas.convertToBlob({ type: "image/webp", quality: 0.5 });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const picture = btoa(text);
  if (kept === null) return { picture, different: 1 };
  const before = pixels(await draw(kept));
  let different = 0;
  for (let at = 0; at < now.data.length; at += 4) if (Math.abs(now.data[at] - before.data[at]) > 40) different += 1;
  return { picture, different: different / (width * height) };
}`;

/** Shows the colours of the other theme at once. */
const END_TRANSITIONS = `for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()`;

/** The pages that compare pictures, by the context of the page that they are of. */
const comparers = new WeakMap<BrowserContext, Promise<Page>>();

/**
 * Fails if the window does not look as it did when its pictures were kept, one in each theme. The page stays in the last
 * one, with its changing parts hidden.
 * @param name of a picture, without the theme and the suffix
 */
export async function assertLooksSame(
  page: Page,
  name: string,
  themes: readonly ("light" | "dark")[],
): Promise<void> {
  const context = page.context();
  const comparer = comparers.get(context) ?? context.newPage();
  comparers.set(context, comparer);
  await comparer;
  // The browser draws only the page in front, and a new page is there.
  await page.bringToFront();
  await page.evaluate(SHOW_FONTS);
  // The next step comes later than the page, into a room that is kept for it.
  await page.locator('aside[aria-label="Get started"]:not(:has(strong))').waitFor({ state: "detached" });
  const session = await context.newCDPSession(page);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(END_TRANSITIONS);
    let different = 1;
    const isSame = async (): Promise<boolean> => {
      // A part that came late is new, and not hidden yet.
      await page.evaluate(HIDE);
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 90 });
      different = await compare(await comparer, `${name}-${theme}`, data);
      return different <= DIFFERENT_MAX;
    };
    const endsMs = performance.now() + SETTLES_MS;
    while (!(await isSame())) {
      if (performance.now() < endsMs) continue;
      const shown = path.join(tmpdir(), `slipway-${name}-${theme}.png`);
      await page.screenshot({ path: shown });
      const text = await page.locator("body").innerText();
      const percent = (different * 100).toFixed(1);
      assert.fail(
        `${name}-${theme} looks otherwise: ${percent} % of it differ, see ${shown}. Its text:\n${text}`,
      );
    }
  }
  await session.detach();
}

/** @returns how much of the picture differs; keeps it instead if pictures are kept */
async function compare(comparer: Page, name: string, today: string): Promise<number> {
  const file = path.join(FOLDER, `${name}.webp`);
  const kept = existsSync(file) && !IS_WRITTEN ? (await readFile(file)).toString("base64") : null;
  const compared = await comparer.evaluate<{ picture: string; different: number }>(
    `(${COMPARE})(${JSON.stringify({ today, kept })})`,
  );
  if (IS_WRITTEN) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, Buffer.from(compared.picture, "base64"));
    return 0;
  }
  assert.ok(kept !== null, `There is no ${file}: SLIPWAY_TEST_SNAPSHOTS=write keeps it.`);
  return compared.different;
}
