/** An organization of 200 people with names in every script: the list, its filter, its order, and a phone. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { createUserClient } from "../helpers/users.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, assertFits, assertShowsTables, open, openConsole, signIn } from "./console.ts";
import { chooseAction, press, type } from "./keyboard.ts";

const COUNT = 200;
const NAMES = [
  "Ada Lovelace",
  "Maximiliana-Theodora von und zu Hohenlohe-Schillingsfürst-Langenburg auf Neuschwanstein",
  "محمد عبد الرحمن الأنصاري",
  "山田太郎",
  "שרה כהן",
  "Παπαδόπουλος",
];
/** A row of a table is 36 pixels high, with its border. */
const ROW_MAX = 37;

describe("an organization of many people", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;

  before(async () => {
    instance = await startInstance();
    for (let number = 0; number < COUNT; number += 1) {
      const { status, text } = await instance.admin.post("/v1/users", {
        email: `person-${number}@engineering-of-the-long-domain.example.com`,
        name: `${NAMES[number % NAMES.length]} ${number}`,
        role: number % 2 === 0 ? "viewer" : "developer",
      });
      assert.equal(status, 201, text);
    }
    browser = await openConsole({ width: 1440, height: 900 });
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("shows all of them, each in one line", async () => {
    await open(page, instance, "/users", "Users");
    assert.equal(await rows().count(), COUNT + 1);
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll("main tbody tr")].map((row) => row.firstElementChild.getBoundingClientRect().height)`,
    );
    assert.ok(Math.max(...heights) <= ROW_MAX, `a row has ${Math.max(...heights)} pixels`);
    await assertShowsTables(page, "200 people");
    const isolated = await page.evaluate<boolean>(
      `[...document.querySelectorAll("main tbody a")].every((link) => getComputedStyle(link).unicodeBidi === "isolate")`,
    );
    assert.equal(isolated, true);
  });

  it("finds some of them, and sorts them", async () => {
    await type(page.getByLabel("Filter People"), "שרה");
    await until(async () => (await rows().count()) === 33, "every sixth is found");
    await type(page.getByLabel("Filter People"), "person-19@");
    await rows().getByRole("link", { name: "Maximiliana" }).waitFor();
    assert.equal(await rows().count(), 1);
    await type(page.getByLabel("Filter People"), " ");
    await press(page.getByRole("button", { name: "Name", exact: true }));
    await until(async () => (await rows().first().innerText()).includes("Ada Lovelace 0"), "Ada is first");
    await press(page.getByRole("button", { name: "Name", exact: true }));
    await until(async () => !(await rows().first().innerText()).includes("Ada"), "and then not");
  });

  it("leads from the menu of a row to a key for its user", async () => {
    await page.getByLabel("Filter People").fill("person-6@");
    await chooseAction(page.getByRole("button", { name: "Actions for Ada Lovelace 6" }), "Create a key");
    await page.getByRole("heading", { level: 1, name: "Create a key for Ada Lovelace 6" }).waitFor();
  });

  it("finds the user of a new key by typing, also before the list is loaded", async () => {
    await open(page, instance, "/api-keys/new", "Create a key");
    const typed = Promise.withResolvers<void>();
    await page.route(/\.js$/, async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.getByRole("combobox", { name: "User" }).click();
    await page.getByRole("combobox", { name: "User" }).fill("Lovelace 120");
    // Nothing is found yet, and the form is not sent.
    await page.keyboard.press("Enter");
    typed.resolve();
    await page.getByRole("option", { name: "Ada Lovelace 120 Viewer" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").fill("laptop");
    await press(page.getByRole("button", { name: "Create key" }));
    await press(page.getByRole("dialog").getByRole("button", { name: "Done" }));
    await page.getByRole("row").filter({ hasText: "laptop" }).getByText("Ada Lovelace 120").waitFor();
  });

  it("fits a phone, where filters are folded", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, instance, "/users", "Users");
    await assertFits(page, "200 people on a phone");
    await open(page, instance, "/audit", "Audit");
    assert.equal(await page.getByLabel("Resource id").isVisible(), false);
    const filter = page.getByRole("button", { name: "Filter", exact: true });
    await press(filter);
    assert.equal(await filter.getAttribute("aria-expanded"), "true");
    await page.getByLabel("Action").fill("user.created");
    await page.getByRole("button", { name: "Filter (1 set)" }).waitFor();
    await assertFits(page, "the filters of a phone");
    await assertAccessible(page, "the filters of a phone");
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("says to a viewer first what is not permitted, and whom to ask", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await browser.context.clearCookies();
    await signIn(page, instance, viewer.key);
    await open(page, instance, "/users", "Users");
    await page.getByText("You may not add, change or delete users").waitFor();
    await page
      .getByRole("paragraph")
      .getByText("This needs the role admin in your organization. Ask Admin.")
      .waitFor();
    const add = page.getByRole("button", { name: "Add a user" });
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    await page.getByRole("button", { name: /^Actions for Ada Lovelace 0/ }).click();
    const entry = page.getByRole("menuitem", { name: /Delete…/ });
    assert.equal(await entry.getAttribute("aria-disabled"), "true");
    await entry.getByText("This needs the role admin").waitFor();
    await page.keyboard.press("Escape");
    await assertAccessible(page, "the users for a viewer");
  });

  const rows = () => page.getByRole("table", { name: "People" }).locator("tbody").getByRole("row");
});
