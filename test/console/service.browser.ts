/** A service's pages: how it does, what it prints, and which variables are newer than what runs. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

const SERVER = `console.log("open for business");
require("node:http").createServer((request, response) => response.end("hi")).listen(process.env.PORT, "127.0.0.1");`;
const API = {
  id: "api",
  name: "API",
  type: "web",
  buildCommand: "true",
  startCommand: "node server.js",
  port: 3000,
};
const SITE = { id: "site", name: "Site", type: "external", hostname: "example.com", dependsOn: ["api"] };

const DB = {
  id: "db",
  name: "Database",
  type: "postgres",
  existing: {
    host: "db.acme.example",
    dbName: "shop",
    username: "shop",
    password: { fromSecretsManager: "acme/database-password" },
  },
};

const ORDERS = { id: "orders", name: "Orders", type: "postgres" };

const NIGHTLY = { command: "echo counted", schedule: "30 3 * * *", timezone: "Europe/Berlin" };
const JOBS = { id: "jobs", name: "Jobs", type: "scheduler", jobs: { nightly: NIGHTLY } };

describe("a service in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let address: string;
  let siteId: string;
  let dbId: string;
  let ordersId: string;
  let jobsId: string;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    const { admin } = instance;
    await connectAccount(admin, "main");
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await push(instance, "shop", withConfig(configOf([API, SITE, DB, ORDERS]), { "server.js": SERVER }));
    const projectId = await createIacProject(admin, "shop");
    await ended(admin, await deploy(admin, "shop"));
    const { api = "", site = "", db = "", orders = "" } = await listServices(admin, projectId);
    address = `/services/${api}`;
    siteId = site;
    dbId = db;
    ordersId = orders;
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("says how it does, and where it is reached", async () => {
    await open(page, instance, address, "API");
    await page.locator('[data-status="RUNNING"]').waitFor();
    await page.getByRole("link", { name: /^https:\/\/.*[.]cdn[.]/ }).waitFor();
  });

  it("that is a data store shows where it is, without its password", async () => {
    await open(page, instance, `/services/${dbId}`, "Database");
    const fact = (name: string) =>
      page.getByRole("term").filter({ hasText: name }).locator("..").getByRole("definition");
    await fact("Host").getByText("db.acme.example").waitFor();
    await fact("Password").getByText("Secrets Manager: acme/database-password").waitFor();
    assert.equal(await page.getByRole("link", { name: "Logs", exact: true }).count(), 0);
    await assertAccessible(page, "the page of a data store");
    const pictures = process.env["SLIPWAY_TEST_PICTURES"];
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/data-store.png` });
    await page.getByRole("link", { name: "What refers to it" }).click();
    await page.getByRole("group", { name: "Picture of the services" }).waitFor();
  });

  it("that is a data store of Slipway shows its state, version and protection", async () => {
    await open(page, instance, `/services/${ordersId}`, "Orders");
    await page.locator('[data-status="AVAILABLE"]').waitFor();
    const fact = (name: string) =>
      page.getByRole("term").filter({ hasText: name }).locator("..").getByRole("definition");
    await fact("Version").getByText(/^\d+$/).waitFor();
    await fact("Protected from deletion").getByText("Yes").waitFor();
    await assertAccessible(page, "the page of a created data store");
    const pictures = process.env["SLIPWAY_TEST_PICTURES"];
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/created-store.png` });
  });

  it("that is a data store of Slipway takes snapshots, restores them and leaves the last one", async () => {
    const { admin } = instance;
    await open(page, instance, `/services/${ordersId}`, "Orders");
    await page.getByText("No snapshots yet").waitFor();
    await takePicture("snapshots-empty");
    await setFault(admin, "snapshots.create", "quota");
    await button("Take a snapshot").click();
    const table = page.getByRole("table", { name: "Snapshots, newest first" });
    const row = (status: string) =>
      table.getByRole("row").filter({ has: page.locator(`[data-status="${status}"]`) });
    await row("FAILED").waitFor();
    await table.getByText(/quota/i).waitFor();
    await clearFaults(admin);
    await button("Take a snapshot").click();
    await row("AVAILABLE").getByText("Admin on request").waitFor();
    await row("AVAILABLE")
      .getByText(/^\d+\.\d MB$/)
      .waitFor();
    await assertAccessible(page, "the snapshots of a data store");
    await takePicture("snapshots");

    await row("AVAILABLE")
      .getByRole("button", { name: /^Restore the snapshot of Orders of/ })
      .press("Enter");
    const dialog = page.getByRole("dialog", { name: "Restore this snapshot of Orders" });
    const lines = dialog.getByRole("region", { name: "The new data store" });
    await assertAccessible(page, "how a snapshot is restored");
    await takePicture("snapshot-restore");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy the lines" }).click();
    await page.getByText("Copied the lines.").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(copied, await lines.innerText());
    const restored = { ...JSON.parse(copied), name: "Restored", deletionProtection: false };
    await dialog.getByRole("button", { name: "Close" }).click();
    const deployWith = async (...more: readonly object[]) => {
      const services = [API, SITE, DB, ORDERS, ...more];
      await push(instance, "shop", withConfig(configOf(services), { "server.js": SERVER }));
      await ended(admin, await deploy(admin, "shop"));
    };
    await deployWith(restored);
    const { projectId } = (await admin.get(`/v1/services/${ordersId}`)).body;
    const { "orders-restored": restoredId = "" } = await listServices(admin, projectId);
    await open(page, instance, `/services/${restoredId}`, "Restored");
    await page.locator('[data-status="AVAILABLE"]').first().waitFor();
    await page.getByText(restored.snapshot).waitFor();
    await setFault(admin, "stores.remove", "quota");
    await deployWith();
    await open(page, instance, `/projects/${projectId}`, "shop");
    const refused = page.getByText("orders-restored (postgres) of production cannot be deleted.");
    await refused.waitFor();
    await assertAccessible(page, "the project of a data store that cannot be deleted");
    await open(page, instance, `/snapshots?projectId=${projectId}`, "Snapshots");
    await table.getByText(/^Its data store cannot be deleted[.] Slipway tries again[.] A quota/).waitFor();
    await takePicture("snapshot-refused");
    await open(page, instance, `/projects/${projectId}`, "shop");
    await refused.waitFor();
    await clearFaults(admin);
    await refused.waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Projects", exact: true }).first().click();
    await page.getByRole("link", { name: "Snapshots", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Snapshots" }).waitFor();
    const last = table.getByRole("row").filter({ hasText: "orders-restored deleted" });
    await last.getByText("before the deletion").waitFor();
    await last.locator('[data-status="AVAILABLE"]').waitFor();
    await takePicture("snapshots-of-all");
    await page.getByLabel("Project").selectOption("shop");
    await table.getByRole("row").nth(3).waitFor();
    await last.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const question = page.getByRole("dialog", { name: "Delete this snapshot?" });
    await question.getByText("This may be the last copy of the data.").waitFor();
    await assertAccessible(page, "the question before a snapshot is deleted");
    await question.getByRole("button", { name: "Delete the snapshot" }).click();
    await last.waitFor({ state: "detached" });
  });

  it("shows how many requests it got in a day and how many failed, as numbers and by time", async () => {
    await getPage(instance, address.split("/").at(-1) ?? "", "/");
    await open(page, instance, address, "API");
    const picture = page.getByRole("figure", { name: "Requests, last 24 hours" });
    const number = (name: string) =>
      page.getByRole("term").filter({ hasText: name }).locator("..").getByRole("definition");
    await number("Failed (5xx)").getByText("0", { exact: true }).waitFor();
    await number("Instances").getByText("as configured").waitFor();
    assert.equal(await picture.isVisible(), false, "a chart of a day is only shown on request");
    await until(async () => {
      await page.reload();
      await number("Requests").getByText("1", { exact: true }).waitFor();
      await page.getByText("Requests by time").click();
      await picture.getByText("As a table").click();
      return (await picture.getByRole("cell", { name: "1", exact: true }).count()) === 1;
    }, "the request is counted");
    await page.getByText(/^Counted by the sandbox since/).waitFor();
  });

  it("is in the map of its environment, with what refers to it", async () => {
    const fromService = { API_URL: { id: address.split("/").at(-1), value: "url" } };
    const set = await instance.admin.post(`/v1/services/${siteId}/env-variables`, { fromService });
    assert.equal(set.status, 200, set.text);
    await page.getByRole("link", { name: "production", exact: true }).click();
    await page.getByRole("link", { name: "Map", exact: true }).click();
    const picture = page.getByRole("group", { name: "Picture of the services" });
    await picture.getByRole("link", { name: "Site", exact: true }).waitFor();
    await picture.locator('[data-status="RUNNING"]').waitFor();
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "Site", exact: true }) });
    await row.getByText("waits for its release, API_URL").waitFor();
    await assertAccessible(page, "the map");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByText("120 %", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Fit the map to the page" }).click();
    await page.getByText("100 %", { exact: true }).waitFor();
    await picture.focus();
    await page.keyboard.press("-");
    await page.getByText("80 %", { exact: true }).waitFor();
    await picture.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "API" }).waitFor();
  });

  it("says which variables are newer than what runs, until it is deployed again", async () => {
    const box = page.getByText(/changed after the running release was given/);
    assert.equal(await box.count(), 0);
    const variables = `/v1${address}/env-variables`;
    await instance.admin.post(variables, { plainText: { GREETING: "hello", LOG_LEVEL: "info" } });
    await box.waitFor();
    const news = page.getByRole("listitem").filter({ hasText: "GREETING, of the service, changed just now" });
    await news.waitFor();
    await ended(instance.admin, await deploy(instance.admin, "shop"));
    await box.waitFor({ state: "detached" });
  });

  it("applies newer variables without a build", async () => {
    const variables = `/v1${address}/env-variables`;
    await open(page, instance, address, "API");
    await instance.admin.post(variables, { plainText: { GREETING: "moin" } });
    await page.getByRole("button", { name: "Apply without a build" }).click();
    const dialog = page.getByRole("dialog", { name: "Restart API?" });
    await assertAccessible(page, "the question before a restart");
    await dialog.getByRole("button", { name: "Restart", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: /^Deployment / }).waitFor();
    await page.locator('[data-status="SUCCESS"]').first().waitFor();
    await page.getByText("restart of").getByRole("link", { name: "API" }).click();
    await page.getByRole("heading", { level: 1, name: "API" }).waitFor();
    await page.getByText(/changed after the running release was given/).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Actions for API" }).click();
    await page.getByRole("menuitem", { name: "Restart" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("is a line of its project's page, with its type, its status and its address", async () => {
    const { projectId } = (await instance.admin.get(`/v1${address}`)).body;
    await open(page, instance, `/projects/${projectId}`, "shop");
    const line = page
      .getByRole("list", { name: "Services of production" })
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: "API", exact: true }) });
    await line.getByRole("img", { name: "Web service" }).waitFor();
    await line.locator('[data-status="RUNNING"]').waitFor();
    await line.getByRole("link", { name: /[.]cdn[.]/ }).waitFor();
    await page.getByRole("button", { name: "Actions for shop" }).click();
    await page.getByRole("menuitem", { name: "Copy the project id" }).click();
    await page.getByText("Copied the project id.").waitFor();
  });

  it("says how it is configured, and where that is changed", async () => {
    await open(page, instance, `${address}/settings`, "API");
    await page.getByText("slipway.json", { exact: true }).waitFor();
    const setting = (name: string) => page.getByRole("term").filter({ hasText: name }).locator("..");
    await setting("Start command").getByText("node server.js").waitFor();
    await setting("Port").getByText("3000").waitFor();
    await setting("Instances").getByText("1", { exact: true }).waitFor();
  });

  it("runs a command, streams what it prints, cancels it and runs it again", async () => {
    await open(page, instance, `${address}/executions`, "API");
    await page.getByText("No command ran here yet.").waitFor();
    await page.getByRole("button", { name: "Run a command" }).click();
    const dialog = page.getByRole("dialog", { name: "Run a command in API" });
    const command = dialog.getByLabel("Command");
    const limit = dialog.getByLabel("Time limit in minutes");
    const run = dialog.getByRole("button", { name: "Run it" });
    assert.equal(await run.getAttribute("aria-disabled"), "true");
    await command.fill("x".repeat(4_097));
    await run.click();
    await dialog.getByText(/at most 4,?096 characters/).waitFor();
    assert.equal(await command.getAttribute("aria-invalid"), "true");
    await command.fill("seq 300; echo begun; sleep 86400");
    for (const wrong of ["soon", "", "0", "1441", "1.5"]) {
      await limit.fill(wrong);
      await run.click();
      await until(
        async () => (await limit.getAttribute("aria-invalid")) === "true",
        `a limit of "${wrong}" is refused`,
      );
      await limit.fill("90");
    }
    await assertAccessible(page, "the form of a command");
    await run.click();
    await page.getByRole("heading", { level: 1, name: "Execution in API" }).waitFor();
    await page.getByRole("log").getByText("begun", { exact: true }).waitFor();
    const { height = 0 } = (await page.getByRole("log").boundingBox()) ?? {};
    assert.ok(height > 300 && height <= 0.6 * 900, `300 lines are ${height} pixels high`);
    await page.getByText("of at most 90 minutes").waitFor();
    await page.locator('[data-status="RUNNING"]').waitFor();
    assert.equal(await button("Run it again").count(), 0);
    await button("Cancel it").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel it" }).click();
    await page.locator('[data-status="CANCELLED"]').waitFor();
    assert.equal(await button("Cancel it").count(), 0);
    const first = page.url();
    await button("Run it again").click();
    const question = page.getByRole("dialog", { name: "Run this command again?" });
    await question.getByText("seq 300; echo begun; sleep 86400").waitFor();
    await assertAccessible(page, "the question before a command runs again");
    await question.getByRole("button", { name: "Run it again" }).click();
    await page.waitForURL((url) => url.pathname.includes("/executions/") && url.href !== first);
    await page.getByText("of at most 90 minutes").waitFor();
    await page.getByRole("log").getByText("begun", { exact: true }).waitFor();
    await button("Cancel it").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel it" }).click();
    await page.locator('[data-status="CANCELLED"]').waitFor();
    await page.getByRole("link", { name: "Executions", exact: true }).click();
    await page.getByRole("table").locator('[data-status="CANCELLED"]').nth(1).waitFor();
  });

  it("that is a scheduler runs nothing before it is live, then shows when its jobs start, runs one, and finds what a job did", async () => {
    const { admin } = instance;
    await push(instance, "nights", withConfig(configOf([JOBS]), { "server.js": SERVER }));
    ({ jobs: jobsId = "" } = await listServices(admin, await createIacProject(admin, "nights")));
    await open(page, instance, `/services/${jobsId}/executions`, "Jobs");
    await page.getByText("Deploy it first: commands run in its live release.").waitFor();
    await assertDisabled("Run a command", "This service has no live release. Deploy it first.");
    await takePicture("executions-not-live");
    await page.getByRole("link", { name: "Go to the service" }).click();
    const table = page.getByRole("table", { name: "Jobs" });
    await table.getByText("Not scheduled: nothing is live, or this is a preview.").waitFor();
    await ended(admin, await deploy(admin, "nights"));
    await table.getByRole("cell", { name: /^[A-Z][a-z]{2} \d+ [A-Z][a-z]+, 03:30$/ }).waitFor();
    await table.getByText(/^Then (?:[^·]+, 03:30(?: · |$)){4}/).waitFor();
    await table.getByText("Never").waitFor();
    await assertAccessible(page, "the page of a scheduler");
    await takePicture("scheduler");
    await page.getByRole("button", { name: "Run now: nightly" }).click();
    await page.getByRole("heading", { level: 1, name: "Execution of nightly in Jobs" }).waitFor();
    await page.locator('[data-status="SUCCEEDED"]').waitFor();
    await page.getByRole("log").getByText("counted", { exact: true }).waitFor();
    const { height = 0 } = (await page.getByRole("log").boundingBox()) ?? {};
    assert.ok(height > 0 && height < 200, `three lines are ${height} pixels high`);
    await page.getByText("Admin, job nightly, on request").waitFor();
    await takePicture("execution-of-job");
    const first = page.url();
    await button("Run it again").click();
    await page
      .getByRole("dialog", { name: "Run nightly again?" })
      .getByRole("button", { name: "Run it again" })
      .click();
    await page.waitForURL((url) => url.pathname.includes("/executions/") && url.href !== first);
    await page.locator('[data-status="SUCCEEDED"]').waitFor();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("table", { name: "Jobs" }).locator('[data-status="SUCCEEDED"]').waitFor();
    await page.getByRole("link", { name: "nightly", exact: true }).click();
    const rows = page.getByRole("table").getByRole("row").filter({ hasText: "echo counted" });
    await rows.nth(1).waitFor();
    assert.equal(await page.getByLabel("Job", { exact: true }).inputValue(), "nightly");
    await takePicture("executions-of-job");
    await page.getByLabel("Outcome").selectOption("FAILED");
    await page.getByText("No execution matches the filter").waitFor();
    await button("Clear the filter").click();
    await rows.nth(1).waitFor();
  });

  it("runs nothing where an approval is required, and for who may not", async () => {
    const { environmentId } = (await instance.admin.get(`/v1${address}`)).body;
    const { body } = await instance.admin.get(`/v1${address}/executions?limit=1`);
    const protect = async (approval: object | null) => {
      const { status, text } = await instance.admin.patch(`/v1/environments/${environmentId}`, {
        protection: { deployers: "developer", approval },
      });
      assert.equal(status, 200, text);
    };
    await protect({ approvers: "developer", timeoutHours: 24 });
    const places = [
      [`${address}/executions`, "API", "Run a command"],
      [`/executions/${body.executions[0].id}`, "Execution in API", "Run it again"],
    ] as const;
    for (const [place, heading, name] of places) {
      await open(page, instance, place, heading);
      await assertDisabled(name, "This environment requires an approval");
    }
    await protect(null);
    const viewer = await createScratchUser(instance.admin, "viewer");
    await browser.context.clearCookies();
    await signIn(page, instance, viewer.client.key);
    for (const [place, heading, name] of places) {
      await open(page, instance, place, heading);
      await assertDisabled(name, "This needs the role developer in this project.");
    }
    await open(page, instance, `/services/${jobsId}`, "Jobs");
    await assertDisabled("Run now: nightly", "This needs the role developer in this project.");
    await open(page, instance, `/services/${ordersId}`, "Orders");
    await assertDisabled("Take a snapshot", "This needs the role developer in this project.");
    await page
      .getByRole("button", { name: /^Actions for the snapshot/ })
      .first()
      .click();
    const entry = page.getByRole("menuitem", { name: "Delete…" });
    assert.equal(await entry.getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Escape");
    await open(page, instance, "/snapshots", "Snapshots");
    await page.getByText("Only admins see the snapshots of deleted projects.").waitFor();
    await page
      .getByRole("button", { name: /^Actions for the snapshot/ })
      .first()
      .click();
    assert.equal(await entry.getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Escape");
    await assertAccessible(page, "the snapshots that a viewer sees");
    await browser.context.clearCookies();
    await signIn(page, instance);
  });

  it("shows what its live release prints, and finds lines in it", async () => {
    await open(page, instance, `${address}/logs`, "API");
    const log = page.getByRole("log");
    await log.getByText("open for business").first().waitFor();
    await page.getByLabel("Search the log").fill("nothing like it");
    await page.getByText("no line", { exact: true }).waitFor();
    await page.getByLabel("Search the log").fill("BUSINESS");
    await page.getByText(/^1 of \d+$/).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    assert.match((await download).suggestedFilename(), /^svc_.*[.]log$/);
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });

  async function assertDisabled(name: string, reason: string): Promise<void> {
    await until(
      async () => (await button(name).getAttribute("aria-disabled")) === "true",
      `${name} is disabled`,
    );
    await button(name).focus();
    await page.getByRole("tooltip").filter({ visible: true, hasText: reason }).first().waitFor();
  }

  async function takePicture(name: string): Promise<void> {
    const pictures = process.env["SLIPWAY_TEST_PICTURES"];
    if (pictures === undefined) return;
    for (const colorScheme of ["light", "dark"] as const)
      for (const [screen, width] of [
        ["desk", 1_280],
        ["phone", 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${pictures}/${name}.${screen}-${colorScheme}.png`, fullPage: true });
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_280, height: 900 });
  }
});
