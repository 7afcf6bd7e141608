/** What opens over every page, in both themes: accessible, and left by the keyboard. Less motion for who wants less. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page, Route } from "playwright-core";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, assertFits, open, openConsole, signIn } from "./console.ts";
import { leave, press } from "./keyboard.ts";
import { takeLaterReads } from "./later-reads.ts";

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 640 };

describe("what opens over a page of the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole(DESK);
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is accessible in the ${colorScheme} theme: the palette with and without hits`, async () => {
      await page.emulateMedia({ colorScheme });
      await open(page, instance, "/deployments", "Deployments");
      const opener = page.getByRole("button", { name: "Search or do" });
      await press(opener);
      const palette = page.getByRole("dialog", { name: "Search or do" });
      await palette.getByRole("option").first().waitFor();
      await look(`the palette, ${colorScheme}`);
      await page.keyboard.type("nothing is called like this");
      await palette.getByText("0 found").waitFor();
      await look(`the palette without hits, ${colorScheme}`);
      await leave(page, opener);
    });

    it(`is accessible in the ${colorScheme} theme: the shortcuts, and the menu of a phone`, async () => {
      await page.emulateMedia({ colorScheme });
      await open(page, instance, "/deployments", "Deployments");
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await help.waitFor();
      await look(`the shortcuts, ${colorScheme}`);
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "detached" });
      await page.setViewportSize(PHONE);
      const menu = page.getByRole("button", { name: "Menu" });
      await press(menu);
      assert.equal(await menu.getAttribute("aria-expanded"), "true");
      await page.getByRole("link", { name: "Domains", exact: true }).waitFor();
      await look(`the menu of a phone, ${colorScheme}`);
      await press(page.getByRole("link", { name: "Domains", exact: true }));
      await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
      assert.equal(await menu.getAttribute("aria-expanded"), "false");
      await page.setViewportSize(DESK);
    });

    it(`is accessible in the ${colorScheme} theme: the sign-in over a page`, async () => {
      await page.emulateMedia({ colorScheme });
      await open(page, instance, "/users/new", "Add a user");
      await endSessions();
      await page.getByLabel("Email").fill(`${colorScheme}@example.com`);
      await press(page.getByRole("button", { name: "Add user" }));
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.waitFor();
      await look(`the sign-in over a page, ${colorScheme}`);
      await page.setViewportSize(PHONE);
      await look(`the sign-in over a page of a phone, ${colorScheme}`);
      await page.setViewportSize(DESK);
      await dialog.getByLabel("API key").fill(ADMIN_KEY);
      await press(dialog.getByRole("button", { name: "Sign in" }));
      await page.getByRole("heading", { level: 1, name: `${colorScheme}@example.com` }).waitFor();
    });
  }

  it("keeps the focus, and what is typed, while the file of a list is loading", async () => {
    const files = /open-(?:menu|combobox)-[^/]*[.]js$/;
    const held: Route[] = [];
    await page.route(files, (route) => void held.push(route));
    const release = async () => {
      await until(() => held.length > 0, "the file is requested");
      await held.pop()?.continue();
    };
    const focused = page.locator(":focus");
    await open(page, instance, "/audit", "Audit");
    const menu = page.getByRole("button", { name: /^Account:/ });
    await press(menu);
    await menu.and(focused).waitFor();
    await release();
    const signOut = page.getByRole("menuitem", { name: "Sign out" });
    await signOut.waitFor();
    await page.keyboard.press("Escape");
    await signOut.waitFor({ state: "detached" });
    const user = page.getByRole("combobox", { name: "User" });
    await user.focus();
    await page.keyboard.type("nob");
    await release();
    await page.getByText("No user has this name.").waitFor();
    await user.and(focused).waitFor();
    assert.equal(await user.inputValue(), "nob");
    await page.unroute(files);
  });

  it("moves nothing for who has asked for less motion", async () => {
    const moving = `document.getAnimations({ subtree: true }).filter(({ playState }) => playState === "running").length`;
    const reads = await takeLaterReads(page);
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await page.emulateMedia({ reducedMotion });
      reads.hold();
      await page.goto(`${instance.url}/console/deployments`);
      await page.locator('[role="status"][aria-label^="Loading"]').first().waitFor();
      // What loads breathes, unless nothing should move.
      await until(
        async () => (await page.evaluate<number>(moving)) > 0 === (reducedMotion === "no-preference"),
        reducedMotion,
      );
      await reads.release();
    }
  });

  it("marks the current page and the chosen entry where the system chooses the colours", async () => {
    await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
    await open(page, instance, "/deployments", "Deployments");
    const framed = async (selector: string) =>
      await page.evaluate<boolean>(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle === "solid"`,
      );
    assert.ok(await framed('nav [aria-current="page"]'), "the current page");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("option").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await until(
      () => framed("dialog [role=option][data-highlighted], [role=option][aria-selected=true]"),
      "the option",
    );
    await page.keyboard.press("Escape");
    await page.emulateMedia({ forcedColors: "none", colorScheme: "light" });
  });

  async function look(where: string): Promise<void> {
    await assertAccessible(page, where);
    await assertFits(page, where);
  }

  async function endSessions(): Promise<void> {
    const { body } = await instance.admin.get("/v1/sessions");
    for (const { id } of body.sessions) await instance.admin.delete(`/v1/sessions/${id}`);
    const ask =
      "fetch('/v1/me', { headers: { 'slipway-page-key': localStorage['slipway.page-key'] ?? '' } }).then(({ status }) => status)";
    await until(async () => (await page.evaluate<number>(ask)) === 401, "the session has ended");
  }
});
