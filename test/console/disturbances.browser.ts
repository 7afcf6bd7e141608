/**
 * Disturbances of an open page: the server is killed or upgraded, another user deletes the resource that it shows, the
 * user's role is lowered, the session ends in two tabs. No text that the user typed is lost.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { configOf, createIacProject, deploy, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { freePort } from "../helpers/free-port.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";

const TYPED = "Typed by hand";
/** Begins with letters from right to left, and with a sign that would turn all that follows it around. */
const ARABIC = "متجر ١٢";

describe("an open page of the console", () => {
  let dataDir: string;
  let port: string;
  let server: ServiceProcess;
  let admin: ApiClient;
  let browser: Browser;
  let page: Page;
  let projectId: string;
  /** Builds, which see no file of ours, ask here whether they may continue. */
  const gate = createServer((_request, response) => response.writeHead(isGateOpen ? 204 : 503).end());
  let isGateOpen = false;

  before(async () => {
    dataDir = await makeTempDir("disturbances");
    port = String(await freePort());
    server = await startServer();
    admin = createApiClient(server.url, ADMIN_KEY);
    gate.listen(0, "127.0.0.1");
    await once(gate, "listening");
    browser = await openConsole();
    ({ page } = browser);
    await connectAccount(admin, "main");
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    const { port: gatePort } = gate.address() as AddressInfo;
    const ask = `fetch("http://127.0.0.1:${gatePort}").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
    const buildCommand = `until node -e '${ask}'; do echo the gate is shut; sleep 0.2; done`;
    const site = { id: "site", name: "Site", type: "static", buildCommand, outputDirectory: "public" };
    await push({ dataDir }, "shop", withConfig(configOf([site]), { "public/index.html": "hi" }));
    projectId = await createIacProject(admin, "shop");
    await signIn(page, server);
  });
  after(async () => {
    await browser.dispose();
    server.process.kill("SIGKILL");
    await server.ended;
    gate.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  afterEach(() => browser.assertSound());

  it("continues after the server was killed: what it follows, and what was typed", async () => {
    const deploymentId = await deploy(admin, "shop", { filter: { projectId } });
    await open(page, server, `/deployments/${deploymentId}`, "Deployment");
    await page.getByRole("log").getByText("the gate is shut", { exact: true }).first().waitFor();
    const other = await browser.context.newPage();
    await open(other, server, "/projects/new", "New project");
    await other.getByLabel("Name", { exact: true }).fill(TYPED);
    server.process.kill("SIGKILL");
    await server.ended;
    await page.getByText(/^Reconnecting · data from/).waitFor();
    await other.getByRole("button", { name: "Create project" }).click();
    await other.getByText("Slipway does not answer").waitFor();
    await assertAccessible(other, "a form without a server");
    assert.equal(await other.getByLabel("Name", { exact: true }).inputValue(), TYPED);
    isGateOpen = true;
    server = await startServer();
    await page.getByText(/^Reconnecting · data from/).waitFor({ state: "detached" });
    await page.locator('h1 ~ [data-status="SUCCESS"]').waitFor();
    await page.getByRole("log").getByText("The release is live.").waitFor();
    await other.getByRole("button", { name: "Create project" }).click();
    await other.getByRole("heading", { level: 1, name: TYPED }).waitFor();
    const { body } = await admin.get("/v1/projects");
    assert.equal(body.projects.filter(({ name }: { name: string }) => name === TYPED).length, 1);
    await other.close();
  });

  it("says that what it shows was deleted, and keeps what was typed", async () => {
    const made = await admin.post("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/hook", types: ["*"] });
    const { id } = made.body;
    await open(page, server, `/webhooks/${id}/edit`, "Change the webhook");
    await page.getByLabel("Description").fill(TYPED);
    assert.equal((await admin.delete(`/v1/webhook-endpoints/${id}`)).status, 204);
    await page.getByText("This is no longer there").waitFor();
    await assertAccessible(page, "a deleted webhook");
    assert.equal(await page.getByLabel("Description").inputValue(), TYPED);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("NOT_FOUND").waitFor();
    await leaveForm();
    await page.getByText("This is no longer there").waitFor({ state: "detached" });
  });

  it("keeps what is typed into a form while another user changes what it is about", async () => {
    const { userId } = await createScratchUser(admin, "viewer");
    await admin.patch(`/v1/users/${userId}`, { name: "Before" });
    await open(page, server, `/users/${userId}`, "Before");
    await page.getByLabel("Login at the git provider").fill(TYPED);
    await admin.patch(`/v1/users/${userId}`, { name: "Meanwhile" });
    await page.getByRole("heading", { level: 1, name: "Meanwhile" }).waitFor();
    assert.equal(await page.getByLabel("Login at the git provider").inputValue(), TYPED);
    await leaveForm();
  });

  it("does not leave a form after an upgrade, and loads the new release with the next page", async () => {
    await open(page, server, "/projects/new", "New project");
    await page.getByLabel("Name", { exact: true }).fill(TYPED);
    let isOld = true;
    let refused = 0;
    let loads = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    page.on("domcontentloaded", () => (loads += 1));
    // As after an upgrade: the server no longer has the files of this tab's release.
    await page.route(/\/console\/assets\/.*[.]js$/, async (route) => {
      if (!isOld) return await route.continue();
      refused += 1;
      return await route.fulfill({ status: 404 });
    });
    await place("Sessions").hover();
    await until(() => refused > 0, "the page below the pointer was to be loaded");
    await page.getByRole("button", { name: /^Search or do/ }).click();
    await page.getByText("Slipway was upgraded").waitFor();
    assert.deepEqual([await page.getByLabel("Name", { exact: true }).inputValue(), loads], [TYPED, 0]);
    await place("Sessions").click();
    await page
      .getByRole("dialog", { name: "Leave without saving?" })
      .getByRole("button", { name: "Leave" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    assert.deepEqual([isOld, loads], [false, 1]);
    await page.unrouteAll();
  });

  it("continues when another tab has signed in again, and writes once", async () => {
    await open(page, server, "/projects/new", "New project");
    await page.getByLabel("Name", { exact: true }).fill("Two tabs");
    const other = await browser.context.newPage();
    await open(other, server, "/sessions", "Sessions");
    const { body } = await admin.get("/v1/sessions");
    for (const { id } of body.sessions) await admin.delete(`/v1/sessions/${id}`);
    const ask =
      "fetch('/v1/me', { headers: { 'slipway-page-key': localStorage['slipway.page-key'] ?? '' } }).then(({ status }) => status)";
    await until(async () => (await page.evaluate<number>(ask)) === 401, "the session has ended");
    const create = page.getByRole("button", { name: "Create project" });
    await create.dispatchEvent("click");
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await other.goto(`${server.url}/console/sign-in`);
    await other.getByLabel("API key").fill(ADMIN_KEY);
    await other.getByRole("button", { name: "Sign in" }).click();
    const made = page.getByRole("heading", { level: 1, name: "Two tabs" });
    await until(async () => {
      if (await made.isVisible()) return true;
      // A background read of the page may have opened the dialog first: behind it, nothing was sent.
      // Once the project is created, the button is no longer there to be asked.
      const isAsked =
        (await create.isVisible()) && (await create.isEnabled({ timeout: 500 }).catch(() => false));
      if (isAsked) await create.click({ timeout: 500 }).catch(() => null);
      return false;
    }, "the project is created");
    await other.close();
    const { body: after } = await admin.get("/v1/projects");
    assert.equal(after.projects.filter(({ name }: { name: string }) => name === "Two tabs").length, 1);
  });

  it("shows a name that is written from right to left without turning around what is beside it", async () => {
    await admin.patch(`/v1/projects/${projectId}`, { name: ARABIC });
    await open(page, server, `/projects/${projectId}`, ARABIC);
    await open(page, server, "/projects", "Projects");
    const link = page.getByRole("link", { name: ARABIC, exact: true });
    await link.waitFor();
    // Text and digits after the name, in the same line, stay after it.
    const order = await page.evaluate<number[]>(`(() => {
      const link = [...document.querySelectorAll("main a")].find((one) => one.textContent === ${JSON.stringify(ARABIC)});
      const after = document.createTextNode(" 123 (4)");
      link.after(after);
      const places = [0, 1, 2, 3].map((at) => { const range = document.createRange(); range.setStart(after, at + 1); range.setEnd(after, at + 2); return range.getBoundingClientRect().left; });
      after.remove();
      return [link.getBoundingClientRect().right, ...places];
    })()`);
    assert.deepEqual(
      order.toSorted((a, b) => a - b),
      order,
    );
  });

  it("disables before their eyes what a lower role no longer permits, and keeps what was typed", async () => {
    const { client, userId } = await createScratchUser(admin, "developer");
    await browser.context.clearCookies();
    await signIn(page, server, client.key);
    await open(page, server, "/projects/new", "New project");
    await page.getByLabel("Name", { exact: true }).fill(TYPED);
    const create = page.getByRole("button", { name: "Create project" });
    assert.equal(await create.getAttribute("aria-disabled"), null);
    await admin.patch(`/v1/users/${userId}`, { role: "viewer" });
    await until(async () => (await create.getAttribute("aria-disabled")) === "true", "it is disabled");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), TYPED);
  });

  const place = (name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

  async function leaveForm(): Promise<void> {
    await place("Deployments").click();
    await page
      .getByRole("dialog", { name: "Leave without saving?" })
      .getByRole("button", { name: "Leave" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
  }

  async function startServer(): Promise<ServiceProcess> {
    return await startProcess({
      PORT: port,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: ADMIN_KEY,
      SLIPWAY_LOG: "error",
    });
  }
});
