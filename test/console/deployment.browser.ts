import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";
import { configOf, createIacProject, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { createUserClient } from "../helpers/users.ts";

const SERVER = `console.log("open for business");
require("node:http").createServer((request, response) => response.end("hi")).listen(process.env.PORT, "127.0.0.1");`;

describe("a deployment's page in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let projectId: string;
  /** Builds, which see no file of ours, ask here whether they may continue. */
  const gate = createServer((_request, response) => response.writeHead(isGateOpen ? 204 : 503).end());
  let isGateOpen = false;

  before(async () => {
    instance = await startInstance();
    browser = await openBrowser();
    page = browser.page;
    gate.listen(0, "127.0.0.1");
    await once(gate, "listening");
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    await pushServices({});
    projectId = await createIacProject(instance.admin, "shop");
    await signIn(ADMIN_KEY);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    gate.close();
  });
  afterEach(() => browser.assertSound());

  it("follows a deployment live, from its start to its end: states, plan, times and log", async () => {
    await startDeployment();
    await service("API").locator('[data-status="BUILDING"]').waitFor();
    await page.getByRole("log").getByText("the gate is shut", { exact: true }).first().waitFor();
    await page.getByText("unchanged: api, site").waitFor();
    isGateOpen = true;
    await status("SUCCESS").waitFor();
    assert.equal(await service("API").locator('[data-status="SUCCESS"]').innerText(), "Live");
    for (const column of ["Build", "Release"]) {
      assert.match(await service("Site").locator(`[data-label="${column}"]`).innerText(), /^[\d.]+ s$/);
    }
    await page.getByRole("log").getByText("open for business").waitFor();
    await page.getByLabel("Service", { exact: true }).selectOption({ label: "Site" });
    await page.getByRole("log").getByText("The release is live.").waitFor();
    assert.equal(await page.getByRole("log").getByText("open for business").count(), 0);
    assert.equal(await page.getByRole("button", { name: "Cancel" }).isVisible(), false);
  });

  it("says on a service's page which variables are newer than what runs, until it is deployed again", async () => {
    await page.getByText("Start here").waitFor();
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "API" }).waitFor();
    const box = page.getByText(/changed after the running release was given/);
    assert.equal(await box.count(), 0);
    const variables = `/v1/services/${new URL(page.url()).hash.split("/").at(-1)}/env-variables`;
    await instance.admin.post(variables, { plainText: { GREETING: "hello", LOG_LEVEL: "info" } });
    await box.waitFor();
    await page
      .getByRole("listitem")
      .filter({ hasText: "GREETING, of the service, changed just now" })
      .waitFor();
    const { body } = await instance.admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/shop.git",
      filter: { projectId },
    });
    await ended(instance.admin, body.id);
    await box.waitFor({ state: "detached" });
  });

  it("shows what went wrong, with each service's own reason, and what depends on it", async () => {
    await pushServices({ startCommand: "echo cannot find the harbour >&2; exit 2" });
    await startDeployment();
    await status("ERROR").waitFor();
    await page.getByText("RELEASE_FAILED").waitFor();
    await page.getByText("PROCESS_ENDED").waitFor();
    await page.getByText(/changed: api \(.*startCommand\)/).waitFor();
    await page.getByRole("log").getByText("cannot find the harbour", { exact: true }).first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Roll back to this" }).isVisible(), false);
  });

  it("lists every fault of an invalid configuration with its place", async () => {
    await push(instance, "shop", withConfig(configOf([{ id: "site", type: "static" }, { id: 1 }]), {}));
    await startDeployment();
    await status("ERROR").waitFor();
    const faults = page.locator(".problem li");
    assert.match(await faults.nth(0).innerText(), /^\/environments\/0\/services\/0\/outputDirectory /);
    assert.match(await faults.nth(1).innerText(), /^\/environments\/0\/services\/1\/type /);
  });

  it("cancels a deployment that is under way", async () => {
    await pushServices({ buildCommand: "echo begun; sleep 300" });
    await startDeployment();
    await page.getByRole("log").getByText("begun", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await status("CANCELLED").waitFor();
    await page.getByText("Cancelled before anything was released.").waitFor();
  });

  it("rolls back to a successful one, and says what is not rolled back", async () => {
    const { body } = await instance.admin.get(
      `/v1/deployments?order=desc&projectId=${projectId}&status=SUCCESS`,
    );
    const [{ id, commit }] = body.deployments;
    await page.goto(`${instance.url}/console/#/deployments/${id}`);
    await page.getByRole("button", { name: "Roll back to this" }).click();
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.getByText("Data of the services, such as databases and files.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { level: 1, name: `Deployment ${commit}` }).waitFor();
    await status("SUCCESS").waitFor();
    assert.ok(!page.url().endsWith(id), "it is another one");
    await page.getByRole("definition").getByRole("link", { name: "rollback" }).waitFor();
  });

  it("fits a phone, and offers a viewer no forbidden action", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    const { hash } = new URL(page.url());
    await ended(instance.admin, hash.split("/").at(-1) ?? "");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.setViewportSize({ width: 360, height: 740 });
    await signIn(viewer.key);
    await page.goto(`${instance.url}/console/${hash}`);
    await status("SUCCESS").waitFor();
    await page.getByText("Default · viewer").waitFor();
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    for (const name of ["Cancel", "Roll back to this"]) {
      assert.equal(await page.getByRole("button", { name }).isVisible(), false, name);
    }
  });

  async function pushServices(more: object): Promise<void> {
    const api = { id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000 };
    const { port } = gate.address() as AddressInfo;
    const ask = `fetch("http://127.0.0.1:${port}").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
    const shut = `until node -e '${ask}'; do echo the gate is shut; sleep 0.2; done`;
    const site = { id: "site", name: "Site", type: "static", outputDirectory: "public" };
    const buildCommand = isGateOpen ? "true" : shut;
    const services = [{ buildCommand, ...api, ...more }, site];
    const files = { "server.js": SERVER, "public/index.html": "hi" };
    await push(instance, "shop", withConfig(configOf(services), files));
  }

  async function signIn(key: string): Promise<void> {
    await page.goto(instance.url);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
  }

  async function startDeployment(): Promise<void> {
    await page.goto(`${instance.url}/console/#/projects/${projectId}`);
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByRole("heading", { level: 1, name: "Deployment" }).waitFor();
  }

  const service = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
  /** The deployment's own. */
  const status = (word: string) => page.locator(`.facts [data-status="${word}"]`);
});
