import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { configOf, createIacProject, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser } from "../helpers/users.ts";
import { assertAccessible, assertFits, open, openConsole, shiftOf, signIn, untilSettled } from "./console.ts";
import { choose, press, type } from "./keyboard.ts";
import { type LaterReads, takeLaterReads } from "./later-reads.ts";

const SERVER = `console.log("open for business");
require("node:http").createServer((request, response) => response.end("hi")).listen(process.env.PORT, "127.0.0.1");`;
/** Colours, and markup that must stay text. */
const HOSTILE = `printf '\\033[31mred\\033[0m <img src=x onerror=document.title=1>\\n' >&2`;
const MARKUP = "red <img src=x onerror=document.title=1>";

describe("deployments in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let projectId: string;
  /** Builds, which see no file of ours, ask here whether they may continue. */
  const gate = createServer((_request, response) => response.writeHead(isGateOpen ? 204 : 503).end());
  let isGateOpen = false;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    gate.listen(0, "127.0.0.1");
    await once(gate, "listening");
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    await pushServices({});
    projectId = await createIacProject(instance.admin, "shop");
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
    gate.close();
  });
  afterEach(() => browser.assertSound());

  it("follows one from its start to its end: steps, plan, times and log", async () => {
    const id = await startDeployment();
    await service("API").locator('[data-status="BUILDING"]').waitFor();
    await page.locator('[data-step="Building"][data-state="busy"]').waitFor();
    await page.getByRole("log").getByText("the gate is shut", { exact: true }).first().waitFor();
    await page.getByText("Configured as before: API, Site").waitFor();
    isGateOpen = true;
    await page.locator('[data-step="Releasing"][data-state="done"]').waitFor();
    await page
      .getByRole("region", { name: "Progress" })
      .getByText(/^Took /)
      .waitFor();
    await service("API").locator('[data-status="SUCCESS"]').waitFor();
    for (const column of ["Build", "Release"])
      assert.match(await service("Site").locator(`[data-label="${column}"]`).innerText(), /[\d.]+ s$/);
    await service("Site")
      .getByRole("link", { name: /\.cdn\./ })
      .waitFor();
    await page.getByRole("log").getByText("open for business").waitFor();
    await page.getByLabel("Service", { exact: true }).selectOption({ label: "Site" });
    await page.getByRole("log").getByText("The release is live.").waitFor();
    assert.equal(await page.getByRole("log").getByText("open for business").count(), 0);
    assert.match(page.url(), /service=svc_/);
    const cancel = page.getByRole("button", { name: "Cancel deployment" });
    assert.equal(await cancel.getAttribute("aria-disabled"), "true");
    assert.ok(page.url().includes(id));
  });

  it("says first what failed, with the last lines as text, and what to do", async () => {
    await pushServices({ startCommand: `${HOSTILE}; echo cannot find the harbour >&2; exit 2` });
    await startDeployment();
    await page.getByText("API could not be released", { exact: true }).waitFor();
    const last = page.getByRole("region", { name: "The last lines" });
    await last.getByText("cannot find the harbour").waitFor();
    assert.ok((await last.innerText()).includes(MARKUP));
    await page.getByText(/^Read what the service printed last/).waitFor();
    await page.getByRole("link", { name: "Variables of API" }).waitFor();
    await page.getByText(/Changed: API \(.*start command/).waitFor();
    await page.getByRole("log").getByText("cannot find the harbour", { exact: true }).first().waitFor();
    assert.equal(await page.locator('main img[src="x"]').count(), 0);
    const rollBack = page.getByRole("button", { name: "Roll back to this" });
    assert.equal(await rollBack.getAttribute("aria-disabled"), "true");
    await assertAccessible(page, "a failed deployment");
    const later = await takeLaterReads(page);
    const ofService = await page.getByRole("link", { name: "API", exact: true }).first().getAttribute("href");
    for (const address of [page.url(), `${instance.url}${ofService}`]) await assertStill(address, later);
    await page.getByText("Newest deployment:").waitFor();
    await page.unrouteAll();
  });

  it("leads from the failure to the variable that was missing, and to a deployment that goes live", async () => {
    await pushServices({
      startCommand: '[ -n "$HARBOUR" ] || { echo HARBOUR is not set >&2; exit 2; }; node server.js',
    });
    const failed = await startDeployment();
    const { body } = await instance.admin.get(`/v1/deployments/${failed}`);
    const { commit } = body;
    await page.getByRole("region", { name: "The last lines" }).getByText("HARBOUR is not set").waitFor();
    await press(page.getByRole("link", { name: "Variables of API" }));
    await press(page.getByRole("link", { name: "Set a variable" }).first());
    await type(page.getByLabel("Name", { exact: true }), "HARBOUR");
    await type(page.getByLabel("Value", { exact: true }), "Rotterdam");
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByRole("button", { name: "HARBOUR", exact: true }).waitFor();
    await press(
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Deployments", exact: true }),
    );
    await page
      .getByRole("button", { name: new RegExp(`^Actions for .*${commit}`) })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Redeploy" }).click();
    await press(page.getByRole("dialog").getByRole("button", { name: "Redeploy", exact: true }));
    await page.locator('h1 ~ [data-status="SUCCESS"]').waitFor();
    assert.ok(!page.url().includes(failed), "it is another one");
  });

  it("lists every fault of an invalid configuration with its place", async () => {
    await push(instance, "shop", withConfig(configOf([{ id: "site", type: "static" }, { id: 1 }]), {}));
    await startDeployment();
    await page.getByText("environments[0].services[0].outputDirectory", { exact: true }).waitFor();
    await page.getByText("environments[0].services[1].type", { exact: true }).waitFor();
  });

  it("shows a hundred thousand lines by the few in sight, finds, links and saves them, and runs nothing of them", async () => {
    const print =
      'for (let i = 0; i < 100000; i += 1) console.log("\\u001b[32mline " + i + "\\u001b[0m <img src=x onerror=alert(1)>")';
    await pushServices({ buildCommand: `node -e '${print}'` });
    await startDeployment();
    const log = page.getByRole("log");
    await log.getByText("line 99999", { exact: true }).waitFor();
    const elements = await page.evaluate<number>(`document.querySelectorAll("[role=log] *").length`);
    assert.ok(elements < 1_000, `${elements} elements`);
    await page.getByLabel("Search the log").fill("line 50000 ");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await log.getByText("line 50000", { exact: true }).waitFor();
    const [green, plain] = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("[role=log] [data-found=true] [data-text] > span")].map((one) => getComputedStyle(one).color)`,
    );
    assert.ok(green !== undefined && green !== plain, `${green} is the colour that was printed`);
    const shown = async () => await log.getByRole("button", { name: /^Copy the address of line/ }).count();
    await press(page.getByRole("button", { name: "Show only matching lines" }));
    await until(async () => (await shown()) === 1, "only the matching line is shown");
    await press(page.getByRole("button", { name: "Wrap lines" }));
    await log.getByText("line 50000", { exact: true }).waitFor();
    await press(page.getByRole("button", { name: "Show only matching lines" }));
    await until(async () => (await shown()) > 10, "all lines are shown again");
    await log.getByText("line 50000", { exact: true }).waitFor();
    await page.getByLabel("Level").selectOption({ label: "Errors" });
    await log.getByText("No line matches.").waitFor();
    await page.getByLabel("Level").selectOption({ label: "All levels" });
    await page.getByLabel("Time", { exact: true }).selectOption({ label: "Last hour" });
    await log.getByText("line 50000", { exact: true }).waitFor();
    await page.getByLabel("Time", { exact: true }).selectOption({ label: "All times" });
    await press(page.getByRole("button", { name: "Full screen" }));
    await until(
      async () => (await log.boundingBox())?.width === page.viewportSize()?.width,
      "the log is as wide as the window",
    );
    await assertAccessible(page, "a log on the whole window");
    await page.keyboard.press("Escape");
    await until(
      async () => (await log.boundingBox())?.width !== page.viewportSize()?.width,
      "the log is in its page again",
    );
    const download = page.waitForEvent("download");
    await press(page.getByRole("button", { name: "Download" }));
    const saved = await readFile(await (await download).path(), "utf8");
    assert.equal(saved.match(/ line \d+ <img/g)?.length, 100_000);
    await page
      .getByRole("button", { name: /^Copy the address of line/ })
      .nth(20)
      .click();
    await until(() => page.url().includes("line="), "the address names the line");
    const number = new URL(page.url()).searchParams.get("line");
    await page.reload();
    // Up to 50,000 lines are read before it.
    await page.getByRole("button", { name: `Copy the address of line ${number}`, exact: true }).waitFor();
    await page.locator('h1 ~ [data-status="SUCCESS"]').waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  it("cancels a deployment that is under way", async () => {
    await pushServices({ buildCommand: "echo begun; sleep 300" });
    await startDeployment();
    await page.getByRole("log").getByText("begun", { exact: true }).waitFor();
    await press(page.getByRole("button", { name: "Cancel deployment" }));
    await press(page.getByRole("button", { name: "Cancel it" }));
    await page.locator('main [data-status="CANCELLED"]').first().waitFor();
    await page.getByText("Cancelled before anything was released.").first().waitFor();
  });

  it("distinguishes them in a list that its address filters, and compares two", async () => {
    await open(page, instance, "/deployments", "Deployments");
    await page.getByRole("row").nth(4).waitFor();
    await choose(page.getByLabel("Outcome"), "SUCCESS");
    await until(async () => (await page.getByRole("row").count()) === 4, "three went live");
    assert.match(page.url(), /status=SUCCESS/);
    await page.getByRole("row").nth(1).getByText("By hand").waitFor();
    await page.reload();
    await until(async () => (await page.getByRole("row").count()) === 4, "the address keeps the filter");
    await type(page.getByLabel("Branch"), "no-such-branch");
    await press(page.getByRole("button", { name: "Clear the filter" }));
    await page.getByRole("row").nth(4).waitFor();
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Compare with the one before" }).click();
    const difference = page.getByRole("table", { name: "What differs" });
    await difference.getByRole("row").filter({ hasText: "Outcome" }).getByText("Differs").waitFor();
    // The sandbox's git host shows nothing to people.
    assert.equal(await page.getByRole("link", { name: "What changed in the repository" }).count(), 0);
  });

  it("rolls back to a live one, and says what is not rolled back", async () => {
    const query = `/v1/deployments?order=desc&projectId=${projectId}&status=SUCCESS`;
    const { body } = await instance.admin.get(query);
    // The newest one is live.
    const [, { id, commit }] = body.deployments;
    await open(page, instance, `/deployments/${id}`, `Deployment ${commit}`);
    await press(page.getByRole("button", { name: "Roll back to this" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Not rolled back" }).waitFor();
    await dialog.getByText("Data of the services, such as databases and files.").waitFor();
    await press(dialog.getByRole("button", { name: "Roll back", exact: true }));
    await page.getByRole("link", { name: "rollback to an earlier one" }).waitFor();
    await page.locator('[data-step="Releasing"][data-state="done"]').waitFor();
    assert.ok(!page.url().includes(id), "it is another one");
  });

  it("fits a phone, and shows a viewer why nothing can be done", async () => {
    const { client } = await createScratchUser(instance.admin, "viewer");
    const address = new URL(page.url()).pathname.replace("/console", "");
    await ended(instance.admin, address.split("/").at(-1) ?? "");
    const key = await instance.admin.post("/v1/api-keys", { name: "viewer", userId: await idOf(client) });
    await page.context().clearCookies();
    await signIn(page, instance, key.body.key);
    await page.setViewportSize({ width: 320, height: 740 });
    await open(page, instance, address, "Deployment");
    const rollBack = page.getByRole("button", { name: "Roll back to this" });
    assert.equal(await rollBack.getAttribute("aria-disabled"), "true");
    await rollBack.focus();
    await page
      .getByRole("tooltip")
      .filter({ visible: true, hasText: "This needs the role developer" })
      .waitFor();
    await assertFits(page, "the deployment");
  });

  async function idOf(client: Instance["admin"]): Promise<string> {
    const { body } = await client.get("/v1/me");
    return body.user.id;
  }

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

  async function startDeployment(): Promise<string> {
    const { body } = await instance.admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/shop.git",
      filter: { projectId },
    });
    await open(page, instance, `/deployments/${body.id}`, "Deployment");
    return body.id;
  }

  /** Fails if anything moves when what the page reads later, such as the log, arrives. */
  const assertStill = async (address: string, later: LaterReads): Promise<void> => {
    later.hold();
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(300);
    await later.release();
    await untilSettled(page);
    const { sum, what } = await shiftOf(page);
    assert.ok(sum <= 0.01, `${address} moved by ${sum}: ${what}`);
  };
  const service = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
});
