/** Variables in the console: one, many from a `.env`, secrets, and earlier values; with only the keyboard. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { configOf } from "../helpers/customers/deployments.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";
import { choose, press, type } from "./keyboard.ts";

const SITE = { id: "web", name: "Web", type: "static", outputDirectory: "public" };
const API = {
  id: "api",
  name: "API",
  type: "web",
  buildCommand: "true",
  startCommand: "node server.js",
  port: 3000,
};
const SECRET = "a secret that no page shows";
const MARKUP = '<img src=x onerror="document.body.remove()">';

describe("variables in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let serviceId: string;
  let environmentId: string;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    const project = await createProject(
      instance.admin,
      "shop",
      configOf([SITE, API], { name: "Production" }),
    );
    ({ environmentId } = project);
    serviceId = String(project.services["web"]);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("says at the field that a name is none, and then sets the variable for all services", async () => {
    await open(page, instance, `/environments/${environmentId}/variables`, "Production");
    await press(page.getByRole("link", { name: "Set a variable" }).first());
    await type(page.getByLabel("Name"), "LOG-LEVEL");
    await type(page.getByLabel("Value"), "info");
    await press(page.getByRole("button", { name: "Save" }));
    await page.getByText("Use letters, digits and _, and begin with no digit.").waitFor();
    await type(page.getByLabel("Name"), "LOG_LEVEL");
    await press(page.getByRole("button", { name: "Save" }));
    await row("LOG_LEVEL").getByText("from the environment").first().waitFor();
  });

  it("merges a pasted .env after a look at what changes, with secrets in the account", async () => {
    await open(page, instance, `/services/${serviceId}/variables/import`, "Paste a .env");
    await type(
      page.getByLabel("Variables", { exact: true }),
      `LOG_LEVEL=debug\nnonsense\nGREETING='${MARKUP}'`,
    );
    await page.getByText("Line 2: It is not NAME=value.").waitFor();
    await type(
      page.getByLabel("Variables", { exact: true }),
      `LOG_LEVEL=debug\nGREETING='${MARKUP}'\nDB_PASSWORD="${SECRET}"`,
    );
    await page.getByRole("button", { name: "Save: 3 new" }).waitFor();
    assert.equal(await page.getByLabel("How DB_PASSWORD is stored").inputValue(), "secretsManager");
    await assertAccessible(page, "the preview of a .env");
    await press(page.getByRole("button", { name: "Save: 3 new" }));
    await page.getByText("The secret is stored in the cloud account.").waitFor();
    await row("LOG_LEVEL").getByText("set here, overrides another value").waitFor();
    await row("GREETING").getByText(MARKUP, { exact: true }).waitFor();
    await row("DB_PASSWORD").getByText("secret, never shown").waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  it("names the lines that are wrong or repeated, and shows values before and after", async () => {
    await press(page.getByRole("link", { name: "Paste a .env" }));
    await type(
      page.getByLabel("Variables", { exact: true }),
      "BAD-NAME=1\nLOG_LEVEL=trace\nDB_PASSWORD=other\nLOG_LEVEL=warn",
    );
    await page.getByText("Line 1: BAD-NAME is not a valid name.").waitFor();
    await page.getByText("LOG_LEVEL is on lines 2 and 4. Line 4 counts.").waitFor();
    const changed = page.getByRole("row").filter({ hasText: "LOG_LEVEL" });
    await changed.getByText("debug → warn").waitFor();
    const secret = page.getByRole("row").filter({ hasText: "DB_PASSWORD" });
    await secret.getByText("secret, never shown").first().waitFor();
    assert.equal(await secret.getByText("other", { exact: true }).count(), 0);
    await page.getByText("1 changed, 1 set again.").waitFor();
    assert.ok(!(await page.locator("main").innerText()).includes("^["));
    await type(page.getByLabel("Variables", { exact: true }), "BAD.NAME=1");
    await page.getByText("Line 1: BAD.NAME is not a valid name.").waitFor();
    await page.getByText("Checking what changes…").waitFor({ state: "detached" });
    await press(page.getByRole("button", { name: "Cancel" }));
    await press(page.getByRole("button", { name: "Leave" }));
    await page.getByRole("heading", { level: 1, name: "Web" }).waitFor();
  });

  it("copies what a service gets as a .env, and names what it leaves out", async () => {
    await press(page.getByRole("button", { name: "Copy as .env" }));
    const dialog = page.getByRole("dialog", { name: "Copy as .env" });
    await dialog.getByText("One variable is left out").waitFor();
    await dialog.getByText("DB_PASSWORD: a secret, which is never shown").first().waitFor();
    const text = await dialog.getByLabel("The .env file").innerText();
    assert.ok(text.includes("LOG_LEVEL=debug"), text);
    assert.ok(!text.includes(SECRET));
    await assertAccessible(page, "the copy as a .env");
    await choose(dialog.getByLabel("Variables of"), environmentId);
    await dialog.getByText("LOG_LEVEL=info").waitFor();
    await press(dialog.getByRole("button", { name: "Close" }));
    await page.getByRole("button", { name: "Copy as .env" }).and(page.locator(":focus")).waitFor();
  });

  it("completes references to other services", async () => {
    await press(page.getByRole("link", { name: "Set a variable" }).first());
    await type(page.getByLabel("Name"), "API_HOST");
    await choose(page.getByLabel("Kind"), "fromService");
    await press(page.getByRole("button", { name: "Save" }));
    await page.getByText("Choose what it is the value of.").waitFor();
    await type(page.getByLabel("Value of"), "api.h");
    await page.getByRole("option", { name: /^api[.]host/ }).waitFor();
    await page.keyboard.press("Enter");
    await press(page.getByRole("button", { name: "Save" }));
    await row("API_HOST").getByText("api.host").waitFor();
    await press(page.getByRole("button", { name: "API_HOST" }));
    await press(page.getByRole("button", { name: "Delete API_HOST of Web" }));
    const dialog = page.getByRole("dialog", { name: "Delete API_HOST of Web?" });
    await press(dialog.getByRole("button", { name: "Delete variable" }));
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await row("API_HOST").waitFor({ state: "detached" });
  });

  it("says what a replacement deletes before it does", async () => {
    await press(page.getByRole("link", { name: "Paste a .env" }));
    await type(page.getByLabel("Variables", { exact: true }), "LOG_LEVEL=debug\nNEW=1");
    await choose(page.getByLabel("The variables that are there"), "replace");
    await press(page.getByRole("button", { name: "Save: 1 new, 2 deleted, 1 the same" }));
    await row("NEW").waitFor();
    await row("GREETING").waitFor({ state: "detached" });
  });

  it("restores an earlier value from its history", async () => {
    const set = await instance.admin.post(`/v1/services/${serviceId}/env-variables`, {
      plainText: { LOG_LEVEL: "trace" },
    });
    assert.equal(set.status, 200, set.text);
    await row("LOG_LEVEL").getByText("trace").waitFor();
    await press(page.getByRole("button", { name: "LOG_LEVEL" }));
    await press(page.getByText("Earlier values of LOG_LEVEL of Web"));
    const history = page.getByRole("table", { name: "Earlier values of LOG_LEVEL of Web" });
    const earlier = history.getByRole("row").filter({ hasText: "debug" });
    await press(earlier.getByRole("button", { name: /^Restore/ }));
    await press(
      page
        .getByRole("dialog", { name: "Restore LOG_LEVEL of Web?" })
        .getByRole("button", { name: "Restore", exact: true }),
    );
    await press(
      page.getByRole("dialog", { name: "LOG_LEVEL", exact: true }).getByRole("button", { name: "Close" }),
    );
    await row("LOG_LEVEL").getByText("debug").waitFor();
  });

  it("deletes a variable after saying what takes its place", async () => {
    await press(page.getByRole("button", { name: "LOG_LEVEL" }));
    await press(page.getByRole("button", { name: "Delete LOG_LEVEL of Web" }));
    const dialog = page.getByRole("dialog", { name: "Delete LOG_LEVEL of Web?" });
    await dialog.getByText("Web will have “info” in its place").waitFor();
    await press(dialog.getByRole("button", { name: "Delete variable" }));
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await row("LOG_LEVEL").getByText("from the environment").waitFor();
  });

  const row = (name: string) =>
    page
      .getByRole("table", { name: "Variables", exact: true })
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name, exact: true }) });
});
