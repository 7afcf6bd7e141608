/** Tables at every width, names chosen to do harm, the palette, and forms for users who must not send them. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";
import { createUserClient } from "../helpers/users.ts";
import {
  assertFits,
  assertShowsTables,
  isInside,
  open,
  openConsole,
  signIn,
  untilSettled,
} from "./console.ts";
import { fill, type Filled } from "./filled.ts";

const WIDTHS = [1440, 1024, 390];
/** Markup, a change of direction, and what a name may be. */
const HOSTILE = [
  `<img src=x onerror="document.title='broken'">`,
  "evil\u202Egnp.exe",
  "<script>document.title='broken'</script>",
];
/** Words that take several lines. Addresses and other long texts without a space may, where sentences wrap. */
const BROKEN_WORDS = `[...document.querySelectorAll("main [role=table] :is(td, th)")].filter((cell) => cell.checkVisibility()).flatMap((cell) => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const word of node.data.matchAll(/(?<!\\S)[A-Za-z]{2,20}(?!\\S)/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(node.data);
    }
  }
  return broken;
})`;

/** Short texts, read at a glance, that extend beyond their cell. */
const CUT_STATUSES = `[...document.querySelectorAll("main [role=table] :is([data-status], time, button)")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > one.closest("td, th").getBoundingClientRect().right + 1).map((one) => one.innerText)`;

const INSTANTS_AS_NAMES = `[...document.querySelectorAll("button, a, [aria-label]")].map((one) => one.getAttribute("aria-label") ?? one.innerText).filter((name) => /\\d{4}-\\d\\d-\\d\\dT/.test(name))`;

describe("tables and names in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let filled: Filled;
  let receiver: Receiver;
  const screenshots = process.env["SLIPWAY_SCREENSHOTS"];

  before(async () => {
    instance = await startInstance();
    browser = await openConsole({ width: 1440, height: 900 });
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
  afterEach(() => browser.assertSound());

  const pagesWithTables = (): readonly (readonly [string, string])[] => [
    ["/", "Home"],
    ["/projects", "Projects"],
    ["/deployments", "Deployments"],
    ["/domains", "Domains"],
    [`/projects/${filled.projectId}`, ""],
    [`/environments/${filled.environmentId}`, "Production"],
    [`/environments/${filled.environmentId}/variables`, "Production"],
    [`/deployments/${filled.deploymentId}`, "Deployment"],
    ["/accounts", "Cloud accounts"],
    ["/webhooks", "Webhooks"],
    ["/users", "Users"],
    ["/api-keys", "API keys"],
    ["/audit", "Audit"],
    ["/settings", "Settings"],
  ];

  it("breaks no word in a table, whatever its width", async () => {
    if (screenshots !== undefined) await mkdir(screenshots, { recursive: true });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const [address, heading] of pagesWithTables()) {
        await open(page, instance, address, heading);
        const where = `${address} at ${width}`;
        // A card of a phone has one column, in which the longest names take two lines.
        if (width > 390) assert.deepEqual(await page.evaluate<readonly string[]>(BROKEN_WORDS), [], where);
        await assertShowsTables(page, where);
        await assertFits(page, where);
        if (screenshots !== undefined) {
          const name = address.replaceAll(/[^a-z-]+/g, "_");
          for (const colorScheme of width === 1024 ? [] : (["light", "dark"] as const)) {
            await page.emulateMedia({ colorScheme });
            await page.screenshot({ path: `${screenshots}/${name}-${width}-${colorScheme}.png` });
          }
        }
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  });

  it("cuts long names to one line and shows them whole on hover, and cuts no status and no time", async () => {
    const { admin } = instance;
    const name = "Shop of a customer whose name has more letters than any column has room for";
    const project = `/v1/projects/${filled.projectId}`;
    assert.equal((await admin.patch(project, { name })).status, 200);
    for (const [address, heading] of pagesWithTables()) {
      await open(page, instance, address, heading === "Shop" ? name : heading);
      assert.deepEqual(await page.evaluate<readonly string[]>(CUT_STATUSES), [], address);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(page, instance, "/deployments", "Deployments");
    const link = page.getByRole("row").getByRole("link", { name }).first();
    assert.ok(((await link.boundingBox())?.height ?? 99) < 30, "one line");
    await link.hover();
    await page.locator(`td[title^="${name}"]`).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await admin.patch(project, { name: "Shop" });
  });

  it("shows hostile names as text, on every page that names them", async () => {
    const { admin } = instance;
    const accepted: string[] = [];
    for (const name of HOSTILE) {
      const { status } = await admin.patch(`/v1/projects/${filled.projectId}`, { name });
      // Control and bidi characters may be refused: what was accepted before is still shown.
      if (status === 200) accepted.push(name);
      else continue;
      await admin.patch(`/v1/aws-accounts/${filled.accountId}`, { name });
      await admin.patch(`/v1/users/${filled.userId}`, { name });
      for (const [address] of pagesWithTables()) {
        await page.goto(`${instance.url}/console${address}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await untilSettled(page);
        assert.notEqual(await page.title(), "broken", `${address} runs ${name}`);
        assert.equal(
          await page.locator('img[src="x"], main script').count(),
          0,
          `${address} has an element of ${name}`,
        );
      }
      await open(page, instance, "/projects", "Projects");
      const shown = await page.getByRole("table", { name: "Projects" }).innerText();
      assert.ok(shown.includes(name.replaceAll("\u202E", "")) || shown.includes(name), name);
      // A change of direction ends with the name: what follows it keeps its order.
      const isolated = await page.evaluate<boolean>(
        `getComputedStyle(document.querySelector("main [role=table] tbody a")).unicodeBidi === "isolate"`,
      );
      assert.equal(isolated, true);
    }
    assert.ok(accepted.length > 0);
    await admin.patch(`/v1/projects/${filled.projectId}`, { name: "Shop" });
    await admin.patch(`/v1/users/${filled.userId}`, { name: "Vera Viewer" });
  });

  it("finds parts of names, users, variables and themes in the palette, in a fixed place, and returns the focus", async () => {
    await open(page, instance, "/deployments", "Deployments");
    const opener = page.getByRole("button", { name: "Search or do" });
    await opener.focus();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search or do" });
    const input = palette.getByLabel("Search or do");
    await input.waitFor();
    const top = (await input.boundingBox())?.y;
    for (const [sought, found] of [
      ["hop", /Shop/],
      ["vera v", /Vera Viewer/],
      ["variables of prod", /Variables of Production/],
      ["theme: da", /Theme: Dark/],
    ] as const) {
      await input.fill(sought);
      await palette.getByRole("option", { name: found }).first().waitFor();
      assert.equal((await input.boundingBox())?.y, top, `the input stays where it is for ${sought}`);
    }
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    await page.getByRole("button", { name: "Account: Admin" }).click();
    await page.getByRole("menuitemradio", { name: "System" }).click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), null);
    await opener.focus();
    await page.keyboard.press("Control+k");
    await input.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await opener.and(page.locator(":focus")).waitFor();
  });

  it("names nothing by an instant or a riddle, and hides no underscore by an underline", async () => {
    for (const [address, heading] of pagesWithTables()) {
      await open(page, instance, address, heading);
      assert.doesNotMatch(
        await page.locator("body").innerText(),
        /\bNobody\b|Theme of the system|\/v1\//,
        address,
      );
      assert.deepEqual(await page.evaluate<readonly string[]>(INSTANTS_AS_NAMES), [], address);
    }
    await open(page, instance, "/projects", "Projects");
    const underline = await page.evaluate<string>(
      `getComputedStyle(document.querySelector("main a")).textDecorationLine`,
    );
    assert.equal(underline, "none", "a line below the letters, which underscores stand above");
  });

  it("shows 20 projects in a window of 900 pixels, to be sorted and filtered, with a menu in each row", async () => {
    await page.route(/\/v1\/overview\/projects\?limit=50$/, async (route) => {
      const answer = await route.fetch();
      const { projects, ...rest } = (await answer.json()) as { readonly projects: readonly object[] };
      const many = Array.from({ length: 20 }, (_, index) => ({
        ...projects[0],
        id: `proj_${index}`,
        name: `Shop ${String(index + 1).padStart(2, "0")}`,
      }));
      await route.fulfill({ response: answer, json: { ...rest, projects: many } });
    });
    // Without the line of the first steps, which end before there are 20 projects.
    await page.evaluate(
      `Object.keys(localStorage).filter((key) => key.startsWith("slipway.guide")).forEach((key) => localStorage.setItem(key, "finished"))`,
    );
    await open(page, instance, "/projects", "Projects");
    const last = page.getByRole("link", { name: "Shop 20", exact: true });
    assert.ok(await isInside(last), "the last of 20 projects is in the window");
    await page.getByRole("button", { name: "Project", exact: true }).click();
    await page.getByRole("button", { name: "Project", exact: true }).click();
    await page.getByRole("rowheader").first().getByText("Shop 20").waitFor();
    await page.getByLabel("Filter Projects").fill("07");
    await page.getByRole("button", { name: "Actions for Shop 07" }).click();
    await page.getByRole("menuitem", { name: "Open the site" }).waitFor();
    await page.getByRole("menuitem", { name: "Domains" }).click();
    await page.waitForURL(/\/domains\?projectId=proj_6$/);
    await page.unrouteAll();
  });

  it("leads from what needs attention to where it is solved", async () => {
    const { admin } = instance;
    await admin.post(`/v1/services/${filled.serviceId}/env-variables`, { plainText: { NEWER: "1" } });
    await open(page, instance, "/", "Home");
    const attention = page.getByRole("list", { name: "Needs attention" });
    await attention.getByRole("link", { name: /^Redeploy: 1 service runs without new variables/ }).waitFor();
    await attention.getByRole("link", { name: /^1 service runs without new variables/ }).click();
    await page.waitForURL(/\/environments\/.*\/variables$/);
    await page.getByRole("button", { name: "Deploy Production" }).first().waitFor();
  });

  it("offers the types of events of a webhook, and says at the address what is wrong with it", async () => {
    await open(page, instance, "/webhooks/new", "Add a webhook");
    await page.getByRole("radio", { name: "Chosen events" }).check();
    await page.getByLabel("Search events").fill("deployment failed");
    await page.getByRole("checkbox", { name: "Deployment: failed" }).check();
    await page.getByLabel("Address").fill("http://hooks.example.com/slipway");
    await page.getByRole("button", { name: "Add webhook" }).click();
    const address = page.getByLabel("Address").and(page.locator("[aria-invalid=true]"));
    await address.waitFor();
    const colorOf = async (text: string | RegExp) =>
      await page.getByText(text).evaluate("(one) => getComputedStyle(one).color");
    assert.equal(await colorOf(/^It must begin with https/), await colorOf("One field needs a change."));
    await page.getByLabel("Address").fill("https://hooks.invalid/slipway");
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByText(/^Hooks.invalid cannot be used/i).waitFor();
    await address.waitFor();
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.getByText("deployment.failed").first().waitFor();
  });

  it("shows the address of no page inside the frame, with the navigation", async () => {
    await open(page, instance, "/nothing-like-it/at-all", "Not found");
    await page.getByRole("main").getByRole("link", { name: "Go to projects" }).click();
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
  });

  it("says before the fields of a form what is not permitted, and whom to ask", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await page.context().clearCookies();
    await signIn(page, instance, viewer.key);
    for (const [address, heading] of [
      ["/users/new", "Add a user"],
      ["/webhooks/new", "Add a webhook"],
      ["/projects/new", "New project"],
      ["/api-keys/new", "Create a key"],
    ] as const) {
      await page.goto(`${instance.url}/console${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await untilSettled(page);
      const notice = page
        .locator("main")
        .getByText(/^You may not /)
        .first();
      await notice.waitFor();
      const field = page.locator("main form :is(input, select, textarea)").first();
      if ((await field.count()) > 0) {
        const [above, below] = [await notice.boundingBox(), await field.boundingBox()];
        assert.ok((above?.y ?? 1) < (below?.y ?? 0), `${heading} says it first`);
      }
    }
  });
});
