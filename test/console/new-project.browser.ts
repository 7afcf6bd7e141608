/** A new project: from the repository to the first deployment, and the configuration as text. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { addBranches } from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

const LINK = { fromService: { id: "db", value: "dbConnectionString" } };
const FLIGHTCONTROL = {
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "trunk" },
      services: [
        {
          id: "web",
          name: "Web",
          type: "fargate",
          cpu: 0.5,
          memory: 1024,
          storage: 100,
          buildCommand: "npm ci && npm run build",
          startCommand: "node server.js",
          healthCheckPath: "/health",
          domain: "www.shop.example",
          watchPaths: ["web/**"],
          envVariables: {
            LOG_LEVEL: "info",
            SESSION_SECRET: "canary-44d1",
            DATABASE_URL: LINK,
            API_URL: { fromService: { id: "site", value: "origin" } },
          },
        },
        { id: "site", name: "Site", type: "static", outputDirectory: "public" },
        { id: "db", name: "Database", type: "rds", engine: "postgres", engineVersion: "16" },
      ],
    },
  ],
};

describe("the form of a new project", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  const commits: Record<string, string> = {};
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "first");
    await connectAccount(instance.admin, "second");
    const add = async (name: string, files: Readonly<Record<string, string>>) => {
      const folder = instance.sandbox.gitDir;
      commits[name] = await createRepository({ folder, name, branch: "trunk", files, at: new Date() });
    };
    await add("my-site", {
      "package.json": JSON.stringify({ scripts: { build: "vite build" }, devDependencies: { vite: "7" } }),
      "package-lock.json": "{}",
    });
    await add("plain", { "public/index.html": "<h1>Plain</h1>" });
    await add("many-branches", { "public/index.html": "<h1>Many</h1>" });
    await add("moving", { "flightcontrol.json": JSON.stringify(FLIGHTCONTROL), "public/index.html": "x" });
    await add("wrong", { "slipway.json": '{"environments":[{"id":"a"}]}' });
    browser = await openConsole();
    ({ page } = browser);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  const openForm = (query = "") => open(page, instance, `/projects/new${query}`, "New project");
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const choose = async (label: string, typed: string, option: RegExp): Promise<void> => {
    await field(label).click();
    await page.getByRole("listbox").waitFor();
    await page.keyboard.type(typed);
    await page.getByRole("option", { name: option }).click();
  };

  it("asks for git before it asks for a repository", async () => {
    await openForm();
    await page.getByRole("link", { name: "Connect git" }).last().click();
    await page.getByRole("heading", { level: 1, name: /git/ }).waitFor();
    await integrateGit(instance.admin);
  });

  it("finds a repository by a part of its name, detects its framework and keeps what was typed", async () => {
    await openForm();
    await page.getByText("slipway.json found").waitFor();
    await choose("Repository", "site", /^my-site.*pushed/);
    await page.getByText("package.json depends on vite.").waitFor();
    assert.deepEqual(
      [
        await field("Branch").inputValue(),
        await field("Name").inputValue(),
        await field("Build command (optional)").inputValue(),
        await field("Output folder").inputValue(),
      ],
      ["trunk", "My site", "npm ci && npm run build", "dist"],
    );
    const file = page.getByRole("region", { name: "Configuration file" });
    assert.match(await file.innerText(), /"outputDirectory": "dist"/);
    await assertAccessible(page, "a detected framework");
    await field("Name").fill("Typed");
    await field("Output folder").fill("build");
    assert.match(await file.innerText(), /"outputDirectory": "build"/);
    await choose("Repository", "plain", /^plain/);
    await page.getByText("The folder public has an index.html.").waitFor();
    assert.deepEqual(
      [await field("Name").inputValue(), await field("Output folder").inputValue()],
      ["Typed", "build"],
    );
    assert.equal(await field("Build command (optional)").inputValue(), "");
  });

  it("finds one of 3,000 branches", async () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `feature/${index}`);
    addBranches(instance, "many-branches", names, commits["many-branches"] ?? "");
    await openForm("?repository=https://git.sandbox.test/many-branches");
    await page.getByText("The folder public has an index.html.").waitFor();
    await choose("Branch", "Feature/2999", /^feature\/2999/);
    await until(async () => (await field("Branch").inputValue()) === "feature/2999", "the chosen branch");
    await page.getByText("The folder public has an index.html.").waitFor();
    const file = page.getByRole("region", { name: "Configuration file" });
    assert.match(await file.innerText(), /"branch": "feature\/2999"/);
    // The search was of that repository.
    await choose("Repository", "my-site", /^my-site/);
    await until(async () => (await field("Branch").inputValue()) === "trunk", "its usual branch");
  });

  it("takes its choices from its address, and leads to the first deployment", async () => {
    await openForm("?account=second&repository=https://git.sandbox.test/plain");
    await page.getByText("The folder public has an index.html.").waitFor();
    assert.equal(await field("Cloud account").locator("option:checked").innerText(), "second");
    await field("Output folder").fill("");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByText("Some fields need a change.").waitFor();
    assert.equal(await field("Output folder").getAttribute("aria-invalid"), "true");
    await field("Output folder").fill("public");
    await field("Deploy it now").check();
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: "Deployment" }).waitFor();
    await page.locator('h1 ~ [data-status="SUCCESS"]').waitFor();
    const { projects } = (await instance.admin.get("/v1/projects")).body;
    assert.deepEqual(
      projects.map(({ name, configType }: { name: string; configType: string }) => [name, configType]),
      [["Plain", "gui"]],
    );
  });

  it("says what is wrong with the file of the repository, and where", async () => {
    await openForm("?repository=https://git.sandbox.test/wrong");
    await page.getByText("slipway.json has faults").waitFor();
    const file = page.getByRole("region", { name: "Configuration file" });
    await file.getByText("environments[0].region").waitFor();
    await assertAccessible(page, "a file with faults");
  });

  const imports = () => page.getByRole("dialog", { name: "Import from Flightcontrol" });

  it("offers the flightcontrol.json of the repository, and takes the proposed configuration", async () => {
    await openForm("?repository=https://git.sandbox.test/moving");
    await page.getByText("flightcontrol.json found").waitFor();
    await page.getByRole("button", { name: "Import flightcontrol.json" }).click();
    const region = imports().getByRole("region", { name: "What becomes of the file" });
    await region.getByRole("heading", { name: "To be changed first: 1" }).waitFor();
    await region.getByRole("heading", { name: "Secrets to set: 1" }).waitFor();
    const shown = await imports().innerText();
    assert.match(shown, /production\/web storage/);
    assert.ok(!shown.includes("canary-44d1"));
    await assertAccessible(page, "the findings of an import");
    await imports().getByRole("button", { name: "Use the configuration" }).click();
    await imports().waitFor({ state: "detached" });
    const text = await page.getByRole("textbox", { name: "slipway.json" }).inputValue();
    assert.equal(JSON.parse(text).environments[0].services[0].startCommand, "node server.js");
    assert.ok(!text.includes("canary-44d1"));
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: "Moving" }).waitFor();
  });

  it("imports a flightcontrol.json that is pasted, and says what is wrong with one", async () => {
    await openForm("?repository=https://git.sandbox.test/plain");
    await page.getByRole("button", { name: "Import from Flightcontrol" }).click();
    const text = imports().getByRole("textbox", { name: "flightcontrol.json" });
    await text.fill("{ // comment");
    await imports().getByRole("button", { name: "Check the file" }).click();
    await imports()
      .getByText(/JSON has no comments/)
      .waitFor();
    await assertAccessible(page, "a file that is not JSON");
    await text.fill(JSON.stringify({ environments: FLIGHTCONTROL.environments.slice(0, 1) }));
    await imports().getByRole("button", { name: "Check the file" }).click();
    await imports().getByRole("region", { name: "What becomes of the file" }).waitFor();
    await page.keyboard.press("Escape");
    await imports().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Import from Flightcontrol" }).waitFor();
  });

  it("says at the repository that it is not there", async () => {
    await openForm("?repository=https://git.sandbox.test/none");
    await page.getByText("The repository was not found").waitFor();
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByText("One field needs a change.").waitFor();
    assert.equal(await field("Repository").getAttribute("aria-invalid"), "true");
  });

  it("completes the configuration as text, and shows the line of each fault", async () => {
    await openForm("?repository=https://git.sandbox.test/plain");
    await page.getByText("The folder public has an index.html.").waitFor();
    await page.getByRole("button", { name: "Edit as text" }).click();
    const text = page.getByRole("textbox", { name: "slipway.json" });
    await text.fill("");
    await text.pressSequentially('{\n"envir');
    const offered = page.getByRole("listbox", { name: "What fits here" });
    assert.match(await offered.getByRole("option", { selected: true }).innerText(), /^environments/);
    await assertAccessible(page, "what is offered");
    await text.press("Enter");
    await text.pressSequentially("{");
    await text.press("Control+Space");
    await offered.getByRole("option", { name: /^region/ }).waitFor();
    await text.press("Escape");
    await offered.waitFor({ state: "detached" });
    await text.pressSequentially(' "id": 7 }');
    const typed = await text.inputValue();
    assert.match(typed, /^\{\s+"environments": \[\{ "id": 7 \}\]$/);
    await page.getByText(/^Line 2, column \d+: The end is missing\.$/).waitFor();
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByText(/This is not JSON/).waitFor();
    assert.equal(await text.inputValue(), typed);
    await text.press("Control+End");
    await text.pressSequentially("\n}");
    await page.getByRole("button", { name: "Create project" }).click();
    const places = page.getByRole("button", { name: /^Line 2, column/ });
    await places.first().waitFor();
    await page
      .getByText(/region: It is required\./)
      .first()
      .waitFor();
    await places.first().click();
    assert.equal(await page.evaluate("document.activeElement.tagName"), "TEXTAREA");
    await assertAccessible(page, "faults of the text");
    await page.getByRole("button", { name: "Discard the text and use fields" }).click();
    await field("Output folder").waitFor();
  });

  it("shows a viewer the form without what the role does not permit", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    await signIn(page, instance, viewer.key);
    await openForm();
    await page.getByText("You may not do this: Create project").waitFor();
    assert.equal(
      await page.getByRole("button", { name: "Create project" }).getAttribute("aria-disabled"),
      "true",
    );
    await signIn(page, instance);
  });
});
