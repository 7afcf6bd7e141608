/**
 * A `web` service of a repository listens on this machine, as Slipway does, and a browser sends a cookie to every port of
 * a host (T2). The service tries to act as an admin whom a foreign page has led to it.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { openConsole, signIn } from "./console.ts";

/** Answers what it was sent, and what Slipway's API answers when it replays that. */
const thief = (api: string) => `
const { createServer } = require("node:http");
createServer(async (request, response) => {
  if (request.url === "/health") return response.end("ok");
  const { cookie = "", ...others } = request.headers;
  const site = { "sec-fetch-site": "same-origin", origin: ${JSON.stringify(api)} };
  const statuses = [];
  for (const headers of [{ ...site, cookie }, { ...others, ...site, host: undefined, cookie }, { ...site, cookie, "slipway-page-key": cookie }]) {
    const answer = await fetch(${JSON.stringify(`${api}/v1/api-keys`)}, {
      method: "POST",
      headers: { ...Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !/^(connection|content-length|keep-alive)$/.test(name))), "content-type": "application/json" },
      body: JSON.stringify({ name: "stolen" }),
    });
    statuses.push(answer.status);
  }
  response.setHeader("content-type", "text/html");
  response.end("<pre>" + JSON.stringify({ cookie, statuses, port: Number(process.env.PORT) }) + "</pre>");
}).listen(process.env.PORT, "127.0.0.1");
`;

describe("a service of a repository that an admin is led to", () => {
  let instance: Instance;
  let browser: Browser | undefined;
  let page: Page;
  let url: string;
  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    const { admin } = instance;
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
    const web = {
      id: "web",
      type: "web",
      startCommand: "node server.js",
      port: 3000,
      healthCheckPath: "/health",
    };
    await push(instance, "thief", withConfig(configOf([web]), { "server.js": thief(instance.url) }));
    await createIacProject(admin, "thief");
    const body = await ended(admin, await deploy(admin, "thief"));
    [, url = ""] = /"url":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(JSON.stringify(body)) ?? [];
    assert.notEqual(url, "", JSON.stringify(body));
    await signIn(page, instance);
  });
  after(async () => {
    await browser?.dispose();
    await instance.dispose();
  });

  async function visit(address: string): Promise<{ cookie: string; statuses: number[]; port: number }> {
    await page.goto(address);
    return JSON.parse(await page.locator("pre").innerText()) as never;
  }
  const keys = async () => (await instance.admin.get("/v1/api-keys")).body.apiKeys as { name: string }[];

  it("gets no cookie of the console through its own port", async () => {
    const { cookie, statuses } = await visit(url);
    assert.equal(cookie, "");
    assert.deepEqual(new Set(statuses), new Set([401]));
  });

  it("cannot use the cookie that it gets at the port of its process", async () => {
    const { port } = await visit(url);
    const { cookie, statuses } = await visit(`http://127.0.0.1:${port}/`);
    // The browser does send it, so the attack is real.
    assert.match(cookie, /^slipway=sls_/);
    assert.deepEqual(statuses, [401, 401, 401]);
    assert.ok((await keys()).every(({ name }) => name !== "stolen"));
  });

  it("neither reads the page key nor acts by the browser from its page", async () => {
    const { port } = await visit(url);
    await page.goto(`http://127.0.0.1:${port}/`);
    assert.equal(await page.evaluate("JSON.stringify({ ...localStorage })"), "{}");
    const acted = await page.evaluate<string>(
      `fetch(${JSON.stringify(`${instance.url}/v1/api-keys`)}, { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }).then(({ type }) => type, String)`,
    );
    assert.equal(acted, "opaque");
    assert.ok((await keys()).every(({ name }) => name !== "stolen"));
  });

  it("leaves the admin signed in, also at the console's other address", async () => {
    await page.goto(`${instance.url}/console/projects`);
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    // A process could otherwise answer as `localhost` at this port, which browsers look for at ::1 first.
    const { port } = new URL(instance.url);
    const answer = await fetch(`http://[::1]:${port}/healthz`);
    assert.equal(answer.status, 200);
  });
});
