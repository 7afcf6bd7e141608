/** Which environment and which commit are deployed, and what a rollback changes, before it is done. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  addBranches,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, isInside, open, openConsole, signIn } from "./console.ts";

const SITE = { id: "web", name: "Web", type: "static", outputDirectory: "public" };
const ADMIN = { ...SITE, id: "back-office", name: "Back office" };

const environment = (id: string, name: string, branch: string, services: readonly object[] = [SITE]) => ({
  id,
  name,
  region: "us-west-2",
  source: { branch },
  services,
});
const files = (text: string, ...environments: readonly object[]) =>
  withConfig({ environments }, { "public/index.html": text });

describe("deploying in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let projectId: string;
  let ids: Readonly<Record<string, string>>;
  let first: { readonly id: string; readonly commit: string };
  const staging = environment("staging", "Staging", "next");
  const before2 = (services: readonly object[]) => [
    environment("production", "Production", "main", services),
    environment("preview", "Preview", "main"),
    staging,
  ];

  before(async () => {
    instance = await startInstance();
    browser = await openConsole({ width: 1440, height: 900 });
    ({ page } = browser);
    const { admin } = instance;
    await connectAccount(admin, "main");
    await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    await push(instance, "shop", files("one", ...before2([SITE])));
    await push(instance, "shop", files("one", ...before2([SITE])), "next");
    projectId = await createIacProject(admin, "shop");
    await admin.patch(`/v1/projects/${projectId}`, { name: "Shop" });
    const id = await deploy(admin, "shop", { branch: "main" });
    const { commit } = await ended(admin, id);
    first = { id, commit };
    await ended(admin, await deploy(admin, "shop", { branch: "next" }));
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    ids = Object.fromEntries(
      body.environments.map((one: { configId: string; id: string }) => [one.configId, one.id]),
    );
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  const dialog = () => page.getByRole("dialog");
  const button = (name: string | RegExp) => page.getByRole("button", { name });

  async function titleOf(id: string): Promise<string> {
    const { body } = await instance.admin.get(`/v1/deployments/${id}`);
    return String(body.commitMessage).split("\n")[0] ?? "";
  }

  /** Where the shown deployment runs. */
  async function shownRuns(): Promise<readonly string[]> {
    await page.waitForURL(/\/deployments\/depl_/);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { environments } = await ended(instance.admin, id);
    return environments.map(({ configId }: { configId: string }) => configId).toSorted();
  }

  it("deploys the environment of the page, from its own branch, and names the commit before", async () => {
    await open(page, instance, `/environments/${ids["staging"]}`, "Staging");
    await button("Deploy Staging").click();
    await dialog()
      .getByText(/^The newest commit of next is “/)
      .waitFor();
    assert.equal(await dialog().getByLabel("Branch").count(), 0);
    await dialog().getByRole("button", { name: "Deploy now" }).click();
    assert.deepEqual(await shownRuns(), ["staging"]);
  });

  it("deploys only the environment of a service, though another one follows the same branch", async () => {
    const { body } = await instance.admin.get(`/v1/environments/${ids["production"]}/services`);
    await open(page, instance, `/services/${body.services[0].id}`, "Web");
    await button("Deploy Production").click();
    await dialog().getByRole("button", { name: "Deploy now" }).click();
    assert.deepEqual(await shownRuns(), ["production"]);
  });

  it("offers the environments of a project, all of a branch, and another branch", async () => {
    await open(page, instance, `/projects/${projectId}`, "Shop");
    await button("Deploy").click();
    const what = dialog().getByLabel("What to deploy");
    await what.waitFor();
    assert.deepEqual(await what.locator("option").allInnerTexts(), [
      "Production, from main",
      "Preview, from main",
      "Staging, from next",
      "All that follow main: Production, Preview",
      "Another branch",
    ]);
    await assertAccessible(page, "the dialog of a deployment");
    await what.selectOption({ label: "All that follow main: Production, Preview" });
    await dialog().getByRole("button", { name: "Deploy now" }).click();
    assert.deepEqual(await shownRuns(), ["preview", "production"]);
  });

  it("names the recent commits and the live one, and deploys an earlier commit once more", async () => {
    await open(page, instance, `/projects/${projectId}`, "Shop");
    await button("Deploy").click();
    const commits = dialog().getByRole("region", { name: "Recent commits of main" });
    await commits.getByRole("listitem").first().getByText("Live now").waitFor();
    await dialog()
      .getByLabel("Commit", { exact: true })
      .selectOption({ label: `Redeploy ${first.commit}: ${await titleOf(first.id)} (live now)` });
    await dialog()
      .getByText(/^The same commit is built and released again in/)
      .waitFor();
    await dialog()
      .getByRole("button", { name: `Redeploy ${first.commit}` })
      .click();
    await page.getByRole("heading", { level: 1, name: `Deployment ${first.commit}` }).waitFor();
    await shownRuns();
  });

  it("finds a branch by typing, also before the branches are there", async () => {
    const typed = Promise.withResolvers<void>();
    await page.route(/\/branches/, async (one) => {
      await typed.promise;
      await one.continue();
    });
    await open(page, instance, `/projects/${projectId}`, "Shop");
    await button("Deploy").click();
    await dialog().getByLabel("What to deploy").selectOption({ label: "Another branch" });
    const branch = dialog().getByRole("combobox", { name: "Branch" });
    await branch.click();
    await branch.fill("nex");
    await dialog().locator("input[aria-autocomplete]").waitFor();
    typed.resolve();
    await page.getByRole("option", { name: /^next/ }).click();
    await page.unrouteAll();
    await dialog()
      .getByRole("region", { name: "Recent commits of next" })
      .getByRole("listitem")
      .first()
      .waitFor();
    await assertAccessible(page, "the choice of a branch");
    await dialog().getByRole("button", { name: "Deploy now" }).click();
    assert.deepEqual(await shownRuns(), ["staging"]);
  });

  it("finds one of 3,000 branches, and keeps the chosen one while others are searched", async () => {
    const { body } = await instance.admin.get(`/v1/projects/${projectId}/branches?search=next`);
    addBranches(
      instance,
      "shop",
      Array.from({ length: 3_000 }, (_, index) => `feature/${index}`),
      body.branches[0].commitHash,
    );
    await open(page, instance, `/projects/${projectId}`, "Shop");
    await button("Deploy").click();
    await dialog().getByLabel("What to deploy").selectOption({ label: "Another branch" });
    const branch = dialog().getByRole("combobox", { name: "Branch" });
    const options = page.getByRole("option");
    await branch.click();
    await page.getByText("There are more. Type a part of the name.").waitFor();
    assert.equal(await options.count(), 100);
    await branch.fill("feature/29");
    await page.getByText("There are more. Type more of the name.").waitFor();
    await branch.fill("feature/2999");
    await until(async () => (await options.count()) === 1, "one branch");
    await assertAccessible(page, "a searched branch");
    await page.keyboard.press("Enter");
    assert.equal(await branch.inputValue(), "feature/2999");
    await dialog().getByRole("region", { name: "Recent commits of feature/2999" }).waitFor();
    await branch.fill("feature/none");
    await page.getByText("The repository has no such branch.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await branch.inputValue(), "feature/2999");
    await branch.click();
    await page.getByText("There are more. Type a part of the name.").waitFor();
    assert.equal(await options.first().innerText(), "feature/2999");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
  });

  it("shows what the server says of a branch, at its field", async () => {
    await open(page, instance, `/projects/${projectId}`, "Shop");
    await button("Deploy").click();
    await dialog().getByLabel("What to deploy").selectOption({ label: "Another branch" });
    const branch = dialog().getByRole("combobox", { name: "Branch" });
    await branch.click();
    await branch.fill("");
    await page.keyboard.press("Escape");
    await dialog().getByRole("button", { name: "Deploy now" }).click();
    await dialog()
      .getByText("It is required, because the project's environments follow several branches: main, next")
      .waitFor();
  });

  it("says what is live now, redeploys the same commit, and names the newest one", async () => {
    const { admin } = instance;
    const newest = await push(instance, "shop", files("two", ...before2([SITE, ADMIN])));
    await open(page, instance, "/deployments", "Deployments");
    const live = page.getByRole("row").filter({ hasText: "live now" });
    assert.equal(await live.count(), 2, (await live.allInnerTexts()).join("|"));
    for (const row of await live.all()) {
      await row.getByRole("button", { name: /^Actions for/ }).click();
      const rollBackHere = page.getByRole("menuitem", { name: "Roll back to this" });
      assert.equal(await rollBackHere.getAttribute("aria-disabled"), "true");
      await rollBackHere.getByText("It is live now.").waitFor();
      await page.keyboard.press("Escape");
      await rollBackHere.waitFor({ state: "detached" });
    }
    await open(page, instance, `/deployments/${first.id}`, `Deployment ${first.commit}`);
    await button("Redeploy").click();
    await dialog()
      .getByText(/^The same commit is built and released again/)
      .waitFor();
    await dialog().getByRole("button", { name: "Redeploy" }).click();
    await page.waitForURL((url) => /depl_/.test(url.href) && !url.href.includes(first.id));
    await page.getByText(/^in (?:Preview, Production|Production, Preview)$/).waitFor();
    await page.getByRole("heading", { level: 1, name: `Deployment ${first.commit}` }).waitFor();
    const rollBack = button("Roll back to this");
    assert.equal(await rollBack.getAttribute("aria-disabled"), "true");
    await rollBack.focus();
    await page.getByRole("tooltip").filter({ visible: true, hasText: "It is live now." }).waitFor();
    await button(`Deploy newest ${newest.slice(0, 7)}`).click();
    await dialog().getByRole("button", { name: "Deploy newest" }).click();
    await page.getByRole("heading", { level: 1, name: `Deployment ${newest.slice(0, 7)}` }).waitFor();
    assert.deepEqual(await shownRuns(), ["preview", "production"]);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    assert.equal((await admin.get(`/v1/deployments/${id}`)).body.commitHash, newest);
  });

  it("lists what a rollback removes, readable in a dialog opened from a table", async () => {
    await open(page, instance, "/deployments", "Deployments");
    await page
      .getByRole("row")
      .filter({ hasText: first.commit })
      .last()
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Roll back to this" }).click();
    const removal = dialog().getByText("Removes the service Back office: it stops and loses its address.");
    await removal.waitFor();
    await assertAccessible(page, "the dialog of a rollback");
    const consequence = dialog().getByText(/^A new deployment of this commit starts/);
    for (const one of [removal, consequence]) assert.ok(await isInside(one));
    const cut = await page.evaluate<
      readonly string[]
    >(`[...document.querySelectorAll("dialog p, dialog li")].filter((one) => {
      const { whiteSpace, textAlign } = getComputedStyle(one);
      const isOutside = one.getBoundingClientRect().right > one.closest("dialog").getBoundingClientRect().right;
      return whiteSpace === "nowrap" || textAlign === "right" || isOutside || one.scrollWidth > one.clientWidth;
    }).map((one) => one.textContent)`);
    assert.deepEqual(cut, []);
    await dialog().getByRole("button", { name: "Cancel" }).click();
  });
});
