/** Members of a project and the protection of an environment: who may not deploy sees why, until an admin changes it. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

describe("access in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let shop: Project;
  let developer: Awaited<ReturnType<typeof createScratchUser>>;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    shop = await createProject(instance.admin, "shop");
    developer = await createScratchUser(instance.admin, "developer");
    await instance.admin.patch(`/v1/users/${developer.userId}`, { name: "Dora Developer" });
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("an admin protects production", async () => {
    await open(page, instance, `/environments/${shop.environmentId}/protection`, "Production");
    await page.getByLabel("Who deploys, sets variables and manages domains here").selectOption("admin");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It is in effect within five seconds.").waitFor();
    const { body } = await instance.admin.get(`/v1/environments/${shop.environmentId}`);
    assert.equal(body.protection.deployers, "admin");
  });

  it("a developer sees why the buttons are disabled, and whom to ask", async () => {
    await signInAs(developer.client.key);
    await open(page, instance, `/environments/${shop.environmentId}`, "Production");
    await assertDisabled(
      "Deploy Production",
      "This environment is protected: this needs the role admin in this project. Ask Admin.",
    );
    await assertAccessible(page, "an environment that the user may not deploy to");
    await open(page, instance, `/environments/${shop.environmentId}/protection`, "Production");
    await assertDisabled("Save", "This needs the role admin in this project. Ask Admin.");
    await open(page, instance, `/projects/${shop.projectId}/settings`, "shop");
    await assertDisabled("Delete the project", "An environment of this project is protected");
    await open(page, instance, `/projects/${shop.projectId}/members`, "shop");
    await assertDisabled("Give role", "This needs the role admin in this project. Ask Admin.");
  });

  it("the button is enabled before their eyes once an admin has lifted the protection", async () => {
    await open(page, instance, `/environments/${shop.environmentId}`, "Production");
    await assertDisabled("Deploy Production", "This environment is protected");
    await protect("developer");
    await untilEnabled("Deploy Production");
    await protect("admin");
    await assertDisabled("Deploy Production", "This environment is protected");
  });

  it("an admin makes the developer an admin of the project, who then deploys and manages members", async () => {
    await signInAs(instance.admin.key);
    await open(page, instance, `/projects/${shop.projectId}/members`, "shop");
    await page.getByText("No members").waitFor();
    await page.getByRole("combobox", { name: "User" }).click();
    await page.getByRole("option", { name: /^Dora Developer/ }).click();
    await page.getByLabel("Role in this project").selectOption("admin");
    await page.getByRole("button", { name: "Give role" }).click();
    await page
      .getByRole("table", { name: "Members" })
      .getByRole("row")
      .filter({ hasText: "Dora Developer" })
      .getByText("Admin", { exact: true })
      .waitFor();
    await signInAs(developer.client.key);
    await open(page, instance, `/environments/${shop.environmentId}`, "Production");
    await untilEnabled("Deploy Production");
    await open(page, instance, `/projects/${shop.projectId}/members`, "shop");
    await page.getByLabel("Who sees this project").selectOption("members");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It is in effect within five seconds.").waitFor();
    const { body } = await instance.admin.get(`/v1/projects/${shop.projectId}`);
    assert.equal(body.access, "members");
  });

  it("an admin removes the member after a look at what follows", async () => {
    await signInAs(instance.admin.key);
    await open(page, instance, `/projects/${shop.projectId}/members`, "shop");
    await page.getByRole("button", { name: "Remove Dora Developer" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove Dora Developer from shop?" });
    await dialog.getByText("no longer finds this project").waitFor();
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("Only admins of the organization see this project.").waitFor();
    assert.deepEqual(
      (await instance.admin.get(`/v1/projects/${shop.projectId}/members`)).body.projectMembers,
      [],
    );
  });

  async function signInAs(key: string): Promise<void> {
    await browser.context.clearCookies();
    await signIn(page, instance, key);
  }

  async function protect(deployers: string): Promise<void> {
    const changed = await instance.admin.patch(`/v1/environments/${shop.environmentId}`, {
      protection: { deployers },
    });
    assert.equal(changed.status, 200, changed.text);
  }

  const button = (name: string) => page.getByRole("button", { name, exact: true });

  async function assertDisabled(name: string, reason: string): Promise<void> {
    await page.getByRole("tooltip", { includeHidden: true }).filter({ hasText: reason }).first().waitFor({
      state: "attached",
    });
    assert.equal(await button(name).getAttribute("aria-disabled"), "true");
    await button(name).focus();
    await page.getByRole("tooltip").filter({ visible: true, hasText: reason }).first().waitFor();
  }

  async function untilEnabled(name: string): Promise<void> {
    await until(
      async () => (await button(name).getAttribute("aria-disabled")) === null,
      `${name} is enabled`,
    );
  }
});
