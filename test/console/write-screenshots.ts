/**
 * Writes the screenshots of the README and the docs (`npm run docs:screenshots`): pages of a filled instance, on a desk
 * and a phone, light and dark.
 */
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { open, openConsole, signIn } from "./console.ts";
import { type Shown, startShownInstance } from "./screenshots-instance.ts";

const FOLDER = path.join(import.meta.dirname, "../../docs/screenshots");
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };
const THEMES = ["light", "dark"] as const;
/** Of WebP: text stays sharp. */
const QUALITY = 82;
/** All of them together. */
const BYTES_MAX = 1_500_000;

/** Each with its address and its heading. */
const pagesOf = ({
  projectId,
  environmentId,
  failedId,
  groupId,
}: Shown): Readonly<Record<string, string>> => ({
  home: "/",
  project: `/projects/${projectId}`,
  map: `/environments/${environmentId}/graph`,
  deployments: "/deployments",
  failure: `/deployments/${failedId}`,
  domains: "/domains",
  records: `/groups/${groupId}`,
});

const shown = await startShownInstance();
const browser = await openConsole(SIZES.desk);
try {
  await signIn(browser.page, shown.instance);
  for (const file of await screenshots()) await rm(path.join(FOLDER, file));
  for (const [name, address] of Object.entries(pagesOf(shown)))
    for (const theme of THEMES)
      for (const [place, size] of Object.entries(SIZES)) {
        await browser.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        await browser.page.setViewportSize(size);
        await open(browser.page, shown.instance, address, "");
        // A log, and the newest commit, come after the page.
        await browser.page
          .getByText(/Reading the log|·{7}/)
          .first()
          .waitFor({ state: "hidden" });
        await writeFile(path.join(FOLDER, `${name}-${place}-${theme}.webp`), await take(browser.page));
      }
  browser.assertSound();
} finally {
  await browser.dispose();
  await shown.instance.dispose();
}
const files = await screenshots();
const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(FOLDER, file))).size));
const bytes = sizes.reduce((sum, size) => sum + size, 0);
process.stdout.write(`${files.length} screenshots, ${bytes} bytes\n`);
if (bytes > BYTES_MAX) throw new Error(`The screenshots have more than ${BYTES_MAX} bytes.`);

async function screenshots(): Promise<readonly string[]> {
  return (await readdir(FOLDER)).filter((file) => file.endsWith(".webp"));
}

/** What the window shows, as WebP, which Playwright itself does not write. */
async function take(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  return Buffer.from(data, "base64");
}
