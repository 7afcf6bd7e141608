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
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
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

describe("a service in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let address: string;
  let siteId: string;
  let dbId: string;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    const { admin } = instance;
    await connectAccount(admin, "main");
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await push(instance, "shop", withConfig(configOf([API, SITE, DB]), { "server.js": SERVER }));
    const projectId = await createIacProject(admin, "shop");
    await ended(admin, await deploy(admin, "shop"));
    const { api = "", site = "", db = "" } = await listServices(admin, projectId);
    address = `/services/${api}`;
    siteId = site;
    dbId = db;
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
});
