/** Variables in the console: one, many from a `.env`, secrets, and what they have been. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

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
    const project = await createProject(instance.admin, "shop");
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
    await page.getByRole("link", { name: "Set a variable" }).first().click();
    await page.getByLabel("Name").fill("LOG-LEVEL");
    await page.getByLabel("Value").fill("info");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Use letters, digits and _, and begin with no digit.").waitFor();
    await page.getByLabel("Name").fill("LOG_LEVEL");
    await page.getByRole("button", { name: "Save" }).click();
    await row("LOG_LEVEL").getByText("from the environment").first().waitFor();
  });

  it("merges a pasted .env after a look at what changes, with secrets in the account", async () => {
    await open(page, instance, `/services/${serviceId}/variables/import`, "Paste a .env");
    await page
      .getByLabel("Variables", { exact: true })
      .fill(`LOG_LEVEL=debug\nnonsense\nGREETING='${MARKUP}'`);
    await page.getByText("Line 2: It is no NAME=value.").waitFor();
    await page
      .getByLabel("Variables", { exact: true })
      .fill(`LOG_LEVEL=debug\nGREETING='${MARKUP}'\nDB_PASSWORD="${SECRET}"`);
    await page.getByRole("button", { name: "Save: 3 new" }).waitFor();
    assert.equal(await page.getByLabel("How DB_PASSWORD is stored").inputValue(), "secretsManager");
    await assertAccessible(page, "the preview of a .env");
    await page.getByRole("button", { name: "Save: 3 new" }).click();
    await page.getByText("The secret is stored in the cloud account.").waitFor();
    await row("LOG_LEVEL").getByText("set here, overrides another value").waitFor();
    await row("GREETING").getByText(MARKUP, { exact: true }).waitFor();
    await row("DB_PASSWORD").getByText("secret, never shown").waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  it("says what a replacement deletes before it does", async () => {
    await page.getByRole("link", { name: "Paste a .env" }).click();
    await page.getByLabel("Variables", { exact: true }).fill("LOG_LEVEL=debug\nNEW=1");
    await page.getByLabel("The variables that are there").selectOption("replace");
    await page.getByRole("button", { name: "Save: 1 new, 2 deleted, 1 the same" }).click();
    await row("NEW").waitFor();
    await row("GREETING").waitFor({ state: "detached" });
  });

  it("restores an earlier value from its history", async () => {
    const set = await instance.admin.post(`/v1/services/${serviceId}/env-variables`, {
      plainText: { LOG_LEVEL: "trace" },
    });
    assert.equal(set.status, 200, set.text);
    await row("LOG_LEVEL").getByText("trace").waitFor();
    await page.getByRole("button", { name: "LOG_LEVEL" }).click();
    await page.getByText("What LOG_LEVEL of Web has been").click();
    const history = page.getByRole("table", { name: "What LOG_LEVEL of Web has been" });
    const earlier = history.getByRole("row").filter({ hasText: "debug" });
    await earlier.getByRole("button", { name: /^Restore/ }).click();
    await page
      .getByRole("dialog", { name: "Restore LOG_LEVEL of Web?" })
      .getByRole("button", { name: "Restore", exact: true })
      .click();
    await page
      .getByRole("dialog", { name: "LOG_LEVEL", exact: true })
      .getByRole("button", { name: "Close" })
      .click();
    await row("LOG_LEVEL").getByText("debug").waitFor();
  });

  it("deletes a variable after saying what takes its place", async () => {
    await page.getByRole("button", { name: "LOG_LEVEL" }).click();
    await page.getByRole("button", { name: "Delete LOG_LEVEL of Web" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete LOG_LEVEL of Web?" });
    await dialog.getByText("Web will have “info” in its place").waitFor();
    await dialog.getByRole("button", { name: "Delete variable" }).click();
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
