/** A protected preview in a browser: by TLS, through the console and back. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type PreviewTeam, SITE, startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, OTHER_ADMIN_KEY, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, open, openConsole } from "./console.ts";

const PATIENCE_MS = 60_000;

describe("a protected preview", () => {
  let instance: Instance;
  let team: PreviewTeam;
  let browser: Browser;
  let page: Page;
  let host: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const production = {
      id: "production",
      region: "us-west-2",
      source: { branch: "main" },
      services: [SITE],
    };
    team = await startPreviewTeam(instance, "shop", [production, templateOf("preview")]);
    await team.commit("cart", "<!doctype html><title>Cart</title><h1>The cart</h1>");
    await team.putPullRequest(1, "cart");
    const preview = await team.untilState("pr-1", "ACTIVE");
    assert.ok(preview !== null);
    host = await team.hostOf(preview);
    const template = team.environments["preview"];
    const { secret } = (await instance.admin.post(`/v1/environments/${template}/preview-bypass`)).body;
    const headers = { "x-slipway-bypass": secret };
    await until(
      async () => (await getFromEdge(instance.sandbox, host, { headers })).body.includes("The cart"),
      "it is released",
      PATIENCE_MS,
    );
    const edge = `MAP ${host}:443 127.0.0.1:${instance.sandbox.edgePort}`;
    browser = await openConsole({ args: [`--host-resolver-rules=${edge}`, "--ignore-certificate-errors"] });
    ({ page } = browser);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });

  const signInHere = async (key: string) => {
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  it("is not shown to a user of another organization", async () => {
    await page.goto(`https://${host}/`);
    await page.waitForURL(`${instance.url}/console/sign-in**`);
    await signInHere(OTHER_ADMIN_KEY);
    await page.getByRole("heading", { level: 1, name: "No such preview" }).waitFor();
    await assertAccessible(page, "no such preview");
    await page.context().clearCookies();
  });

  it("leads to the console's sign-in and back to the page that was asked for", async () => {
    const asked = `https://${host}/?a=1&b=%20c`;
    await page.goto(asked);
    await page.waitForURL(`${instance.url}/console/sign-in**`);
    await signInHere(ADMIN_KEY);
    await page.getByRole("heading", { name: "The cart" }).waitFor({ timeout: PATIENCE_MS });
    assert.equal(page.url(), asked, "no ticket stays in the address");
    const cookies = await page.context().cookies(`https://${host}/`);
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite, domain }) => ({
        name,
        httpOnly,
        secure,
        sameSite,
        domain,
      })),
      [{ name: "__Host-slipway-preview", httpOnly: true, secure: true, sameSite: "Lax", domain: host }],
    );
    const inHours = ((cookies[0]?.expires ?? 0) * 1_000 - Date.now()) / 3_600_000;
    assert.ok(inHours > 7.9 && inHours <= 8, `${inHours} hours`);
    await page.reload();
    await page.getByRole("heading", { name: "The cart" }).waitFor();
    assert.equal(await page.evaluate("document.cookie"), "");
  });

  it("opens without a question for a user who is signed in, also at its local address", async () => {
    await page.goto(`http://${host}.localhost:${instance.sandbox.edgePort}/`);
    await page.getByRole("heading", { name: "The cart" }).waitFor();
    assert.equal(page.url(), `http://${host}.localhost:${instance.sandbox.edgePort}/`);
  });

  it("has a secret for tests, which the project's page makes", async () => {
    await open(page, instance, `/projects/${team.projectId}`, "shop");
    await page.getByRole("button", { name: "Make a bypass secret" }).click();
    const question = page.getByRole("dialog", { name: "Make a bypass secret for the previews of preview?" });
    await question.getByRole("button", { name: "Make it" }).click();
    const shown = page.getByRole("dialog", { name: "Bypass secret for preview" });
    const secret = await shown.getByText(/^[\w-]{43}$/).innerText();
    await assertAccessible(page, "the bypass secret");
    const fresh = await openConsole({
      args: [
        `--host-resolver-rules=MAP ${host}:443 127.0.0.1:${instance.sandbox.edgePort}`,
        "--ignore-certificate-errors",
      ],
    });
    try {
      await fresh.context.setExtraHTTPHeaders({ "x-slipway-bypass": secret, "x-slipway-set-cookie": "1" });
      await until(
        async () => (await fresh.page.goto(`https://${host}/`))?.status() === 200,
        "the secret is taken",
        PATIENCE_MS,
      );
      await fresh.page.getByRole("heading", { name: "The cart" }).waitFor();
      await fresh.context.setExtraHTTPHeaders({});
      await fresh.page.reload();
      await fresh.page.getByRole("heading", { name: "The cart" }).waitFor();
    } finally {
      await fresh.dispose();
    }
    browser.assertSound();
  });
});
