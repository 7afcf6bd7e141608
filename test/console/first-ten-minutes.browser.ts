/**
 * The first ten minutes of a new user in the sandbox: from an empty organization to a page that is opened on a domain of
 * one's own, with few clicks, always led to the next step, and with every finished step still ticked.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, afterEach, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { createUserClient } from "../helpers/users.ts";
import { assertAccessible, assertFits, openConsole, signIn, untilSettled } from "./console.ts";

const DOMAIN = "www.first.example.com";
const CLICKS_MAX = 15;
const STEPS = 6;
const SCREENSHOTS = process.env["SLIPWAY_SCREENSHOTS"];

describe("the first ten minutes in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  /** Buttons and links that were used, and fields that had to be clicked before typing. */
  const clicks: string[] = [];

  before(async () => {
    instance = await startInstance();
    browser = await openConsole({ width: 1440, height: 900 });
    ({ page } = browser);
    if (SCREENSHOTS !== undefined) await mkdir(SCREENSHOTS, { recursive: true });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("shows a viewer of an empty organization whom to ask, and no steps", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await signIn(page, instance, viewer.key);
    await page.getByText("Nothing is deployed yet").waitFor();
    await page.getByText(/This needs the role developer in your organization\. Ask /).waitFor();
    assert.equal(await page.getByRole("region", { name: "Get started" }).count(), 0);
    await page.goto(`${instance.url}/console/accounts/new`);
    await page
      .getByText(/This needs the role admin in your organization/)
      .first()
      .waitFor();
    await browser.context.clearCookies();
    await page.evaluate("localStorage.clear()");
  });

  it("leads from an empty organization to a page on a domain of one's own", async () => {
    await page.goto(`${instance.url}/console/`);
    await type(page.getByLabel("API key"), ADMIN_KEY);
    await click(page.getByRole("button", { name: "Sign in" }));
    await heading("Home").waitFor();
    await isAt(0);
    await assertFits(page, "Home of an empty organization");
    await assertAccessible(page, "Home of an empty organization");
    await click(guide().getByRole("button", { name: "Connect the sandbox" }));

    await heading("Sandbox").waitFor();
    await click(strip().getByRole("link", { name: "Connect git" }));

    await click(page.getByRole("button", { name: "Add", exact: true }));
    await click(strip().getByRole("link", { name: "Create a project" }));

    await heading("New project").waitFor();
    const name = page.getByLabel("Name", { exact: true });
    if ((await name.inputValue()) === "") await type(name, "Shop");
    await click(page.getByRole("button", { name: "Create project" }));

    await strip().getByText("Deploy it").waitFor();
    await click(page.getByRole("button", { name: "Deploy", exact: true }));
    await click(page.getByRole("dialog").getByRole("button", { name: "Deploy now" }));
    await page.waitForURL(/\/deployments\/depl_/);
    await strip().getByText("Deploy it").waitFor();
    await shot("deploying");
    await strip().getByRole("link", { name: "Add a domain" }).waitFor();
    await finishedStepsStay(4);
    await click(strip().getByRole("link", { name: "Add a domain" }));

    await heading("Add domains").waitFor();
    await type(page.getByLabel("Domain names"), DOMAIN);
    await click(page.getByRole("button", { name: "Add domains" }));
    await heading(DOMAIN).waitFor();
    await click(page.getByRole("button", { name: "Set the records in the sandbox" }));
    const opened = browser.context.waitForEvent("page");
    await click(strip().getByRole("link", { name: "Open your site" }));
    const site = await opened;
    await site.getByText("It floats").first().waitFor();
    assert.match(new URL(site.url()).hostname, /^www\.first\.example\.com\.localhost$/);
    await site.close();
    assert.ok(clicks.length <= CLICKS_MAX, `${clicks.length} clicks: ${clicks.join(", ")}`);
    await strip().waitFor({ state: "detached" });
  });

  it("then shows on Home what was made, without the steps", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
    await heading("Home").waitFor();
    await untilSettled(page);
    assert.equal(await guide().count(), 0);
    await page.getByText("Nothing needs you.").waitFor();
    await page.getByText("1 served").waitFor();
    await shot("home");
    await assertAccessible(page, "Home of a served site");
    // Another browser of the organization does not begin with the steps again.
    await page.evaluate(
      `Object.keys(localStorage).filter((key) => key.startsWith("slipway.guide")).forEach((key) => localStorage.removeItem(key))`,
    );
    await page.reload();
    await page.getByText("1 served").waitFor();
    assert.equal(await guide().count(), 0);
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  const guide = () => page.getByRole("region", { name: "Get started" });
  const strip = () => page.getByRole("complementary", { name: "Get started" });

  /** Each finished step is ticked, and no other. */
  async function isAt(done: number): Promise<void> {
    await guide().getByText(`${done} of ${STEPS} done`).waitFor();
    assert.equal(await guide().getByRole("listitem").count(), STEPS);
    assert.equal(await guide().getByRole("listitem").filter({ hasText: ", done" }).count(), done);
  }

  /** Home, in another tab, has them ticked, and leads to the same next step. */
  async function finishedStepsStay(done: number): Promise<void> {
    const other = await browser.context.newPage();
    await other.goto(`${instance.url}/console/`);
    const steps = other.getByRole("region", { name: "Get started" });
    await steps.getByText(`${done} of ${STEPS} done`).waitFor();
    await steps.getByRole("link", { name: "Add a domain" }).waitFor();
    await untilSettled(other);
    await assertAccessible(other, `Home after ${done} steps`);
    if (SCREENSHOTS !== undefined) await other.screenshot({ path: `${SCREENSHOTS}/home-${done}.png` });
    await faultIsSaid(other);
    await other.close();
  }

  /** If the steps cannot be read, the line above the page says so, and leads to Home, which reads them again. */
  async function faultIsSaid(other: Page): Promise<void> {
    const reads = /\/v1\/overview\/projects\?limit=100$/;
    await other.route(reads, async (route) => await route.fulfill({ status: 429, json: {} }));
    await other.goto(`${instance.url}/console/audit`);
    const line = other.getByRole("complementary", { name: "Get started" });
    await line.getByText("The next step could not be read.").waitFor();
    await other.unroute(reads);
    await line.getByRole("link", { name: "Go to Home" }).click();
    await other.getByRole("region", { name: "Get started" }).waitFor();
  }

  async function click(control: Locator): Promise<void> {
    await control.waitFor();
    await shot(String(clicks.length + 1));
    clicks.push((await control.innerText()).trim());
    await control.click();
  }

  /** A field that has the focus already needs no click. */
  async function type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    if ((await field.and(page.locator(":focus")).count()) === 0) clicks.push("a field");
    await field.fill(text);
  }

  async function shot(name: string): Promise<void> {
    if (SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${SCREENSHOTS}/${name.padStart(2, "0")}.png` });
  }
});
