/** A deployment that a second person must approve: who started it waits, another approves, an admin may bypass it. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { configOf } from "../helpers/customers/deployments.ts";
import { createProject, DEMO_REPOSITORY, type Project } from "../helpers/customers/scenario.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";
import { assertAccessible, assertFits, open, openConsole, signIn } from "./console.ts";

const SITE = { id: "web", type: "static", outputDirectory: "public" };

describe("approvals in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let shop: Project;
  let dora: ApiClient;
  let ada: ApiClient;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    shop = await createProject(instance.admin, "shop", configOf([SITE], { name: "Production" }));
    dora = await createPerson("Dora Developer");
    ada = await createPerson("Ada Another");
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("an admin asks for a second person", async () => {
    await open(page, instance, `/environments/${shop.environmentId}/protection`, "Production");
    await page
      .getByLabel("Who approves deployments of others")
      .selectOption({ label: "Another developer or admin of the project" });
    await page.getByLabel("Hours until a deployment").fill("24");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It is in effect within five seconds.").waitFor();
    const { body } = await instance.admin.get(`/v1/environments/${shop.environmentId}`);
    assert.deepEqual(body.protection.approval, { approvers: "developer", timeoutHours: 24 });
  });

  it("the user who started it sees that another user has to approve it", async () => {
    await signInAs(dora);
    const id = await start(dora);
    await openDeployment(id);
    await assertDisabled("Approve", "You started it; a second person must approve.");
    await assertDisabled("Reject", "You started it; a second person must approve.");
    assert.equal(await button("Begin without a second person").count(), 0);
    await assertAccessible(page, "a deployment that waits for an approval");
    await assertFits(page, "a deployment that waits for an approval");
  });

  it("another one finds it where attention is needed, and approves it", async () => {
    await signInAs(ada);
    const attention = page.getByRole("list", { name: "Needs attention" }).getByRole("listitem");
    const waiting = attention.filter({ hasText: "Production" });
    await waiting.getByRole("link", { name: "A deployment waits for an approval", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Approvals" }).waitFor();
    await page.getByRole("heading", { name: "Waiting for you (1)" }).waitFor();
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Start here/ })
      .click();
    await button("Approve").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("Read, and tried.");
    await assertAccessible(page, "the question before an approval");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved. It continues.").waitFor();
    await page.getByText("Production: Approved by Ada Another").waitFor();
    await page.getByText("“Read, and tried.”").waitFor();
    await page.locator('[data-step="Releasing"][data-state="done"]').waitFor();
  });

  it("a rejected one says by whom and why", async () => {
    const id = await start(dora);
    await openDeployment(id);
    await button("Reject").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Comment").fill("Not on a Friday.");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Production: Rejected by Ada Another").waitFor();
    await page.getByText("It was rejected: Not on a Friday.").first().waitFor();
  });

  it("in an emergency an admin begins their own, and has to say why", async () => {
    await signInAs(instance.admin);
    const id = await start(instance.admin);
    await openDeployment(id);
    await assertDisabled("Approve", "You started it; a second person must approve.");
    await button("Begin without a second person").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Begin" }).click();
    await dialog.getByLabel("Why").and(page.locator("[aria-invalid=true]")).waitFor();
    await dialog.getByLabel("Why").fill("The shop is down.");
    await dialog.getByRole("button", { name: "Begin" }).click();
    await page.getByText("Production: Begun by Admin without a second person").waitFor();
  });

  it("lists what waits for the user, what was asked by them, and who else may approve", async () => {
    await signInAs(dora);
    await open(page, instance, "/approvals", "Approvals");
    await page.getByText("Nothing waits for an approval").waitFor();
    const id = await start(dora);
    // The deployment of the test before may still run, and this one follows it.
    await until(async () => {
      const { body } = await instance.admin.get(`/v1/deployments/${id}`);
      return body.status === "PENDING_APPROVAL";
    }, "the deployment waits for an approval");
    await page.getByText("Nothing waits for you.").waitFor();
    await page.getByRole("heading", { name: "Asked by you (1)" }).waitFor();
    await page.getByText("Ada Another and Admin may approve it.").waitFor();
    const own = page.getByRole("button", { name: /^Approve \w{7} in Production$/ });
    assert.equal(await own.getAttribute("aria-disabled"), "true");
    await assertAccessible(page, "the approvals of a user who asked");
    await signInAs(ada);
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: /^Approvals/ })
      .click();
    await page.getByRole("heading", { name: "Waiting for you (1)" }).waitFor();
    await page.getByText(/^Dora Developer asked/).waitFor();
    await page.getByText("Admin may approve it too.").waitFor();
    await assertAccessible(page, "the approvals");
    await page.setViewportSize({ width: 320, height: 740 });
    await assertFits(page, "the approvals");
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("is decided in the list, with what follows", async () => {
    await page.getByRole("button", { name: /^Reject \w{7} in Production$/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^It is cancelled in Production, which keeps running what runs now/).waitFor();
    await dialog.getByLabel("Comment").fill("Not today.");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Nothing waits for an approval").waitFor();
    await assertAccessible(page, "the approvals without any");
  });

  async function createPerson(name: string): Promise<ApiClient> {
    const { client, userId } = await createScratchUser(instance.admin, "developer");
    await instance.admin.patch(`/v1/users/${userId}`, { name });
    return client;
  }

  async function signInAs({ key }: ApiClient): Promise<void> {
    await browser.context.clearCookies();
    await signIn(page, instance, key);
  }

  async function start(client: ApiClient): Promise<string> {
    const body = { repoUrl: DEMO_REPOSITORY, filter: { projectId: shop.projectId } };
    const created = await client.post("/v1/deployments", body);
    assert.equal(created.status, 201, created.text);
    return created.body.id;
  }

  async function openDeployment(id: string): Promise<void> {
    const { body } = await instance.admin.get(`/v1/deployments/${id}`);
    await open(page, instance, `/deployments/${id}`, `Deployment ${body.commit}`);
    await page.getByText("Production waits for an approval").waitFor();
  }

  const button = (name: string) => page.getByRole("button", { name, exact: true });

  async function assertDisabled(name: string, reason: string): Promise<void> {
    await button(name).and(page.locator("[aria-disabled=true]")).waitFor();
    await button(name).focus();
    await page.getByRole("tooltip").filter({ visible: true, hasText: reason }).first().waitFor();
  }
});
