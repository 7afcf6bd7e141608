/** Previews in the console: a commit of a fork is approved, opened and removed. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { createUserClient } from "../helpers/users.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { open, openConsole, signIn } from "./console.ts";
import { fill, type Filled } from "./filled.ts";

const LIST = /\/v1\/previews\?/;
const TITLE = "#12 Add a cart";

describe("the previews of a project", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  let filled: Filled;
  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    receiver = await startReceiver();
    filled = await fill(instance, receiver.url);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    await receiver.close();
  });

  /** As the API shows a preview that sleeps. Static sites, such as this one, never do. */
  async function showAsleep(): Promise<void> {
    await page.route(LIST, async (route) => {
      const response = await route.fetch();
      const { previews, ...more } = (await response.json()) as { previews: readonly object[] };
      const asleep = { state: "SLEEPING", sleepingSince: new Date(Date.now() - 3_600_000).toISOString() };
      await route.fulfill({
        response,
        json: { previews: previews.map((one) => ({ ...one, ...asleep })), ...more },
      });
    });
    await page.reload();
  }

  it("are approved only by an admin if their template asks for one", async () => {
    const [{ templateId }] = (await instance.admin.get("/v1/previews")).body.previews;
    const ask = async (approval: object | null) =>
      await instance.admin.patch(`/v1/environments/${templateId}`, { protection: { approval } });
    assert.equal((await ask({ approvers: "admin", timeoutHours: 24 })).status, 200);
    await browser.context.clearCookies();
    await signIn(page, instance, (await createUserClient(instance.admin, "developer")).key);
    const approve = page.getByRole("button", { name: `Approve ${TITLE}` });
    for (const [address, heading] of [
      [`/projects/${filled.projectId}`, "Shop"],
      ["/approvals", "Approvals"],
    ] as const) {
      await open(page, instance, address, heading);
      await approve.and(page.locator("[aria-disabled=true]")).focus();
      const reason = "This needs the role admin in this project. Ask ";
      await page.getByRole("tooltip").filter({ visible: true, hasText: reason }).first().waitFor();
    }
    await browser.context.clearCookies();
    await signIn(page, instance);
    await open(page, instance, "/approvals", "Approvals");
    await approve.and(page.locator(":not([aria-disabled=true])")).waitFor();
    assert.equal((await ask(null)).status, 200);
  });

  it("are approved by commit, become live without a reload, and are deleted", async () => {
    await open(page, instance, `/projects/${filled.projectId}`, "Shop");
    const row = page.getByRole("table", { name: "Previews" }).getByRole("row", { name: TITLE });
    await row.getByText("Awaiting approval").waitFor();
    await row.getByText("A member: read the commit, and approve it.").waitFor();
    await page.getByRole("button", { name: `Approve ${TITLE}` }).click();
    const dialog = page.getByRole("dialog", { name: `Approve a commit of ${TITLE}?` });
    const { previews } = (await instance.admin.get("/v1/previews")).body;
    const { commitHash } = previews[0];
    await dialog.getByText(commitHash).waitFor();
    await dialog.getByText("It gets no secret").waitFor();
    await dialog.getByRole("button", { name: `Approve ${commitHash.slice(0, 8)}` }).click();
    await row.getByText("Live", { exact: true }).waitFor();
    await showAsleep();
    await row.getByText("Asleep", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.reload();
    await row.getByRole("link", { name: TITLE }).click();
    await page.getByRole("heading", { level: 1, name: "Preview #12" }).waitFor();
    await page.getByText("deployed with each commit").waitFor();
    await showAsleep();
    await page.getByText("fell asleep").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("link", { name: "its template" }).click();
    await page.getByRole("heading", { level: 1, name: "Preview", exact: true }).waitFor();
    await page.getByRole("link", { name: "Previews of Shop" }).click();
    await page.getByRole("button", { name: `Actions for ${TITLE}` }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const question = page.getByRole("dialog", { name: `Delete the preview ${TITLE}?` });
    await question.getByRole("button", { name: "Delete" }).click();
    await row.getByText(/^(?:Deleting|Ended)$/).waitFor();
    browser.assertSound();
  });
});
