/**
 * `npm run bench:console [-- --runs 3 --domains 10000 --lines 100000 --only /services/…]`: how long the console's pages
 * take on a slow machine and network (the CPU at a quarter, 1.6 Mbit/s, 150 ms for a round trip), with nothing in the
 * browser's cache: the largest contentful paint, how far things move, and how long the slowest of a few presses takes to
 * be drawn (https://web.dev/articles/vitals). Then what a long log and a long list block the page for. Medians of the runs.
 * `--only` measures one page, and prints what moves.
 */
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { buildIfStale } from "../console/build.js";
import { open, shiftOf, signIn, untilSettled } from "../test/console/console.ts";
import { ended } from "../test/helpers/customers/deployments.ts";
import { createProject, DEMO_REPOSITORY } from "../test/helpers/customers/scenario.ts";
import { openBrowser } from "../test/helpers/processes/browser.ts";
import { median } from "./load/median.ts";
import { KEY, startRig } from "./rig.ts";
import { seedDomains } from "./seed/seed.ts";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    domains: { type: "string", default: "10000" },
    lines: { type: "string", default: "100000" },
    only: { type: "string" },
  },
});
const runs = Number(options.runs);
const lines = Number(options.lines);

const CPU_SLOWDOWN = 4;
const BYTES_PER_SECOND = 1_600_000 / 8;
const ROUND_TRIP_MS = 150;

/** Prints lines with colours, some of them with markup. */
const LOUD = `node -e 'for (let i = 0; i < ${lines}; i += 1) console.log("\\u001b[3" + (i % 8) + "mline " + i + "\\u001b[0m <b>bold</b>")'`;

const CONFIG = {
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      services: [{ id: "web", name: "Web", type: "static", buildCommand: LOUD, outputDirectory: "public" }],
    },
  ],
};

async function main(): Promise<void> {
  const fault = buildIfStale();
  if (fault !== null) throw new Error(fault);
  const rig = await startRig({ SLIPWAY_LOG: "error" });
  const browser = await openBrowser();
  const { page, context } = browser;
  try {
    const { projectId, environmentId, services, awsAccountId } = await createProject(
      rig.client,
      "shop",
      CONFIG,
    );
    const serviceId = String(services["web"]);
    const begun = await rig.client.post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      filter: { projectId },
    });
    await ended(rig.client, begun.body.id);
    const seeded = await seedDomains(rig.cluster.url, serviceId, Number(options.domains));
    const server = { url: rig.api.url };
    await signIn(page, server, KEY);
    const cdp = await context.newCDPSession(page);
    const pages = [
      ["/projects", "Projects"],
      ["/projects/new", "New project"],
      [`/projects/${projectId}`, "shop"],
      [`/environments/${environmentId}`, "Production"],
      [`/services/${serviceId}`, "Web"],
      [`/services/${serviceId}/variables`, "Web"],
      [`/services/${serviceId}/domains`, "Web"],
      ["/domains", "Domains"],
      [`/groups/${seeded.groupId}`, "bench"],
      ["/deployments", "Deployments"],
      [`/deployments/${begun.body.id}`, "Deployment"],
      [`/accounts/${awsAccountId}`, "account-shop"],
      ["/users", "Users"],
      ["/audit", "Audit"],
      ["/settings", "Settings"],
    ] as const;
    print(`| page, first visit | LCP | CLS | INP |\n|---|---|---|---|`);
    for (const [address, heading] of pages) {
      const words = address.replaceAll(/[a-z]+_[0-9a-z]+/g, "…");
      if (options.only !== undefined && words !== options.only) continue;
      const seen: Awaited<ReturnType<typeof visit>>[] = [];
      for (let run = 0; run < runs; run += 1) seen.push(await visit(page, cdp, server, address, heading));
      const of = (name: "lcp" | "cls" | "inp") => median(seen.map((one) => one[name]));
      const moved = [...new Set(seen.map((one) => one.moved).filter((one) => one !== ""))];
      print(`| ${words} | ${Math.round(of("lcp"))} ms | ${of("cls").toFixed(3)} | ${of("inp")} ms |`);
      if (options.only !== undefined && moved.length > 0) print(`moved: ${moved.join("\n")}`);
    }
    if (options.only !== undefined) return;
    await slowDown(cdp, { network: false });
    print(`\n| what is long, CPU at a quarter | tasks over 50 ms | the longest |\n|---|---|---|`);
    await open(page, server, `/deployments/${begun.body.id}`, "Deployment");
    const log = page.getByRole("log");
    await log.getByText(`line ${lines - 1} `).waitFor({ timeout: 120_000 });
    await printLongTasks(page, `${lines} lines: scrolling`, async () => {
      await log.hover();
      for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, turn % 2 === 0 ? -60_000 : 40_000);
    });
    await printLongTasks(page, `${lines} lines: searching`, async () => {
      await page.getByLabel("Search the log").pressSequentially(`line ${Math.floor(lines / 2)} `);
    });
    await open(page, server, "/domains", "Domains");
    await printLongTasks(page, `${options.domains} domains: five pages more`, async () => {
      for (let more = 0; more < 5; more += 1) {
        const rows = page.getByRole("row");
        const before = await rows.count();
        await page.getByRole("button", { name: "Show more" }).click();
        await rows.nth(before).waitFor();
      }
    });
    await printLongTasks(page, `${options.domains} domains: finding one`, async () => {
      await page.getByLabel("Name", { exact: true }).pressSequentially("www.customer-99");
      await page.getByRole("link", { name: "www.customer-99.example.com" }).waitFor();
    });
  } finally {
    await browser.dispose();
    await rig.dispose();
  }
}

async function slowDown(cdp: CDPSession, { network }: { readonly network: boolean }): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: network ? ROUND_TRIP_MS : 0,
    downloadThroughput: network ? BYTES_PER_SECOND : -1,
    uploadThroughput: network ? BYTES_PER_SECOND : -1,
  });
}

/** Opens a page as on a first visit, and presses a few keys. Milliseconds, but for the shift. */
async function visit(
  page: Page,
  cdp: CDPSession,
  server: { readonly url: string },
  address: string,
  heading: string,
): Promise<{ readonly lcp: number; readonly cls: number; readonly inp: number; readonly moved: string }> {
  await page.goto("about:blank");
  await cdp.send("Network.enable");
  await cdp.send("Network.clearBrowserCache");
  await slowDown(cdp, { network: true });
  await page.goto(`${server.url}/console${address}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor({ timeout: 60_000 });
  await untilSettled(page);
  const { sum: cls, what: moved } = await shiftOf(page);
  const lcp = await lastOf(page, "largest-contentful-paint", "startTime");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("option").first().waitFor({ timeout: 60_000 });
  await page.keyboard.type("ser");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { lcp, cls, moved, inp: await lastOf(page, "event", "duration") };
}

/** The greatest value of a kind of entry since the page was opened. */
async function lastOf(page: Page, type: string, field: string): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    const entries = [];
    const watch = new PerformanceObserver((list) => entries.push(...list.getEntries()));
    watch.observe({ type: ${JSON.stringify(type)}, buffered: true, durationThreshold: 16 });
    setTimeout(() => resolve(Math.max(0, ...entries.map((one) => one.${field}))), 500);
  })`);
}

async function printLongTasks(page: Page, words: string, work: () => Promise<void>): Promise<void> {
  await page.evaluate(`(() => {
    globalThis.tasks = [];
    globalThis.watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
    watch.observe({ type: "longtask" });
  })()`);
  await work();
  const tasks = await page.evaluate<number[]>(
    "new Promise((resolve) => setTimeout(() => { watch.disconnect(); resolve(tasks); }, 500))",
  );
  print(`| ${words} | ${tasks.length} | ${Math.max(0, ...tasks)} ms |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
