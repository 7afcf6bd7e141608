/** Signing in, staying signed in, and what happens around it: other tabs, expiry, a lost connection, an upgrade. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";
import { assertAccessible, openConsole, signIn } from "./console.ts";

describe("a session in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", GIT_INTEGRATION);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("says what is wrong with a key, and goes where an old link led once it is right", async () => {
    await page.goto(`${instance.url}/console/#/deployments`);
    await heading("Sign in").waitFor();
    await assertAccessible(page, "the sign-in");
    for (const [key, words] of [
      ["a-key-that-nobody-ever-had", /does not know this key/],
      ["schlüssel", /not an API key/],
    ] as const) {
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText(words).waitFor();
      assert.equal(await page.getByLabel("API key").getAttribute("aria-invalid"), "true");
    }
    await assertAccessible(page, "the sign-in with a fault");
    await page.getByLabel("API key").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await heading("Deployments").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/deployments");
  });

  it("keeps the key nowhere, and the session where no script reads it", async () => {
    const kept = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    assert.ok(!kept.includes(ADMIN_KEY));
    assert.match(kept, /,""\]$/);
    const [cookie, ...others] = await browser.context.cookies();
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ["slipway", true, "Lax"]);
    assert.deepEqual(others, []);
  });

  it("offers a viewer no forbidden action, and says who may", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await signIn(page, instance, viewer.key);
    await page.goto(`${instance.url}/console/projects/new`);
    const create = page.getByRole("button", { name: "Create project" });
    await create.waitFor();
    assert.equal(await create.getAttribute("aria-disabled"), "true");
    await create.focus();
    await page
      .getByRole("tooltip")
      .filter({ hasText: "This needs the role developer in your organization." })
      .waitFor();
    await create.click({ force: true });
    assert.equal((await instance.admin.get("/v1/projects")).body.projects.length, 0);
    await signIn(page, instance);
  });

  it("asks before what was typed is lost, and leaves if it may be", async () => {
    await page.goto(`${instance.url}/console/projects/new`);
    await page.getByLabel("Name", { exact: true }).fill("Unsaved");
    await place("Deployments").click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.waitFor();
    await assertAccessible(page, "the question before leaving");
    await question.getByRole("button", { name: "Stay" }).click();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Unsaved");
    await place("Deployments").click();
    await question.getByRole("button", { name: "Leave" }).click();
    await heading("Deployments").waitFor();
  });

  it("renews a session that ended while the user typed, and then writes once", async () => {
    await page.goto(`${instance.url}/console/projects/new`);
    await page.getByLabel("Name", { exact: true }).fill("Typed before");
    await endSessions();
    await page.getByRole("button", { name: "Create project" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await assertAccessible(page, "the dialog over the page");
    await dialog.getByLabel("API key").fill(ADMIN_KEY);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await heading("Typed before").waitFor();
    assert.equal((await instance.admin.get("/v1/projects")).body.projects.length, 1);
  });

  it("signs out and in again in all tabs", async () => {
    const other = await browser.context.newPage();
    await other.goto(`${instance.url}/console/deployments`);
    await other.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
    await page.getByRole("button", { name: "Account: Admin" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading("Sign in").waitFor();
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await other.getByLabel("API key").fill(ADMIN_KEY);
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await heading("Home").waitFor();
    await other.close();
  });

  it("shows in one tab what was done elsewhere, without a reload", async () => {
    await page.goto(`${instance.url}/console/projects`);
    const link = page.getByRole("link", { name: "Typed before", exact: true });
    await link.waitFor();
    const { body } = await instance.admin.get("/v1/projects");
    await page.getByRole("button", { name: "Search or do" }).focus();
    await instance.admin.patch(`/v1/projects/${body.projects[0].id}`, { name: "Renamed" });
    await page.getByRole("link", { name: "Renamed", exact: true }).waitFor();
    // The button keeps the focus.
    assert.match(await page.evaluate("document.activeElement.textContent"), /^Search or do/);
  });

  it("says that what it shows may be old while the connection is lost", async () => {
    const lost = page.getByText(/^Reconnecting · data from/);
    await browser.context.setOffline(true);
    await lost.waitFor();
    await assertAccessible(page, "without a connection");
    await browser.context.setOffline(false);
    await lost.waitFor({ state: "detached" });
  });

  it("loads the new release when a part of the old one is missing", async () => {
    // The old release reports it if the new one comes a moment later.
    browser.permitFault(/^TypeError: Failed to fetch dynamically imported module: .*\/audit-/);
    let isOld = true;
    let refused = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    await page.route(/\/assets\/audit-.*[.]js$/, async (route) => {
      if (!isOld) return await route.continue();
      refused += 1;
      return await route.fulfill({ status: 404 });
    });
    await place("Audit").click();
    await heading("Audit").waitFor();
    assert.deepEqual([isOld, refused > 0], [false, true]);
  });

  it("finds, goes and does with only the keyboard", async () => {
    await page.goto(`${instance.url}/console/projects`);
    await heading("Projects").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search or do" }).waitFor();
    await page.keyboard.type("rena");
    await page.getByRole("option", { name: /^Renamed/ }).waitFor();
    await assertAccessible(page, "the palette");
    await page.keyboard.press("Enter");
    await heading("Renamed").waitFor();
    assert.equal(await page.evaluate("document.activeElement.tagName"), "H1");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await assertAccessible(page, "the shortcuts");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await heading("Deployments").waitFor();
    await page.keyboard.press("/");
    await until(
      async () => await page.evaluate("document.activeElement.matches('main input[type=search]')"),
      "the filter has the focus",
    );
    await page.goto(`${instance.url}/console/settings`);
    await heading("Settings").waitFor();
    await page.keyboard.press("/");
    await page.getByRole("dialog", { name: "Search or do" }).waitFor();
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  const place = (name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

  /** Ends every session of the admin; processes know it within five seconds. */
  async function endSessions(): Promise<void> {
    const { body } = await instance.admin.get("/v1/sessions");
    for (const { id } of body.sessions) await instance.admin.delete(`/v1/sessions/${id}`);
    const ask =
      "fetch('/v1/me', { headers: { 'slipway-page-key': localStorage['slipway.page-key'] ?? '' } }).then(({ status }) => status)";
    await until(async () => (await page.evaluate<number>(ask)) === 401, "the session has ended");
  }
});
