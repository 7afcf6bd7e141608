import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

/** Debian's; elsewhere `SLIPWAY_TEST_CHROMIUM` names one. */
const CHROMIUM = process.env["SLIPWAY_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** On a machine with much other work, a deployment takes a minute. */
const TIMEOUT_MS = 150_000;

export type Browser = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails the test that uses it when a page broke: an uncaught error, or one in the console, which the policy's are. */
  assertSound(): void;
  /** From now on, faults like this one are permitted: the test causes it, and the page may report it. */
  permitFault(like: RegExp): void;
  dispose(): Promise<void>;
};

/** A headless Chromium with a separate profile. */
export async function openBrowser(
  options: {
    readonly width?: number;
    readonly height?: number;
    /** In addition, such as where names lead. */
    readonly args?: readonly string[];
  } = {},
): Promise<Browser> {
  const profile = await mkdtemp(path.join(tmpdir(), "slipway-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [...ARGS, ...(options.args ?? [])],
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const faults: string[] = [];
  const permitted: RegExp[] = [];
  context.on("weberror", (error) => faults.push(error.error().stack ?? error.error().message));
  context.on("console", (message) => {
    // An answer with a status of 4xx is one too, and tests ask for those.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  const page = context.pages()[0] ?? (await context.newPage());
  return {
    page,
    context,
    assertSound: () =>
      assert.deepEqual(
        faults.filter((fault) => !permitted.some((like) => like.test(fault))),
        [],
      ),
    permitFault: (like) => void permitted.push(like),
    async dispose() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
