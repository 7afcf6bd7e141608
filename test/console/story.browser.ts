import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { setDnsRecords, untilDomain } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const DOMAIN = "www.shop.example.com";
const SECRET = "a secret that no page shows";

describe("the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  /** Writes without an Idempotency-Key, and requests to anybody else. */
  const wrongRequests: string[] = [];
  /** Where the project, its service and its group were shown. */
  const ownPages: string[] = [];

  before(async () => {
    instance = await startInstance();
    browser = await openBrowser();
    page = browser.page;
    browser.context.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      const isForm = pathname.startsWith("/sandbox/console/");
      const lacksKey =
        request.method() !== "GET" && !isForm && request.headers()["idempotency-key"] === undefined;
      if (lacksKey || origin !== instance.url) wrongRequests.push(`${request.method()} ${request.url()}`);
    });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => {
    browser.assertSound();
    assert.deepEqual(wrongRequests, []);
  });

  it("reports a wrong key, and keeps a valid one only in the tab's own storage", async () => {
    await page.goto(instance.url);
    await signIn("a-key-that-nobody-ever-had");
    await page.getByRole("alert").getByText("Slipway does not know this key").waitFor();
    await signIn(ADMIN_KEY);
    await heading("Projects").waitFor();
    const kept = await page.evaluate(
      "[JSON.stringify(localStorage), document.cookie, JSON.stringify(sessionStorage), location.href]",
    );
    assert.deepEqual(kept, [
      "{}",
      "",
      JSON.stringify({ "slipway.apiKey": ADMIN_KEY }),
      `${instance.url}/console/`,
    ]);
  });

  it("connects a cloud account through the stack's page, and shows the connection automatically", async () => {
    await place("Cloud accounts").click();
    await page.getByLabel("Given id").fill("not an id");
    await page.getByRole("button", { name: "Connect account" }).click();
    await page.getByRole("alert").getByText("INVALID_REQUEST").waitFor();
    assert.equal(await page.getByLabel("Given id").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Given id").fill("acme");
    await page.getByRole("button", { name: "Connect account" }).click();
    const opened = browser.context.waitForEvent("page");
    await page.getByRole("link", { name: "Open the stack console" }).click();
    const stack = await opened;
    await stack.getByRole("button", { name: "Create stack" }).click();
    await stack.getByText("CREATE_COMPLETE").waitFor();
    await stack.close();
    await page.locator('[data-status="CONNECTED"]').waitFor();
  });

  it("adds a git integration and creates a project from its repository", async () => {
    await place("Git").click();
    await page.getByLabel("Access token").fill("any");
    await page.getByRole("button", { name: "Add integration" }).click();
    await page.getByRole("cell", { name: "GitHub" }).waitFor();
    await place("Projects").click();
    await page.getByRole("link", { name: "New project" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Shop");
    await page.getByRole("button", { name: "Create project" }).click();
    await heading("Shop").waitFor();
    ownPages.push(new URL(page.url()).hash);
    await page.getByRole("link", { name: "Web" }).click();
    await heading("Web").waitFor();
    ownPages.push(new URL(page.url()).hash);
  });

  it("shows which of several domain names is refused, and why", async () => {
    await page.getByText("Add a domain group").click();
    await page.getByLabel("Domain names").fill(`${DOMAIN}\nco.uk\n_x.example.com`);
    await page.getByRole("button", { name: "Add domains" }).click();
    const faults = page.getByRole("alert").getByRole("listitem");
    await faults.first().waitFor();
    assert.equal(await faults.count(), 2);
    assert.match(await faults.nth(0).innerText(), /\/domains\/1 co\.uk /);
    assert.match(await faults.nth(1).innerText(), /\/domains\/2 _x\.example\.com /);
  });

  it("shows the record to set, and then the attached domain without a reload", async () => {
    await page.getByLabel("Domain names").fill(DOMAIN);
    await page.getByRole("button", { name: "Add domains" }).click();
    await heading(DOMAIN).waitFor();
    ownPages.push(new URL(page.url()).hash);
    const card = page.locator(`[data-domain="${DOMAIN}"]`);
    await card.locator('[data-status="AWAITING_VERIFICATION_RECORDS_TO_BE_SET"]').waitFor();
    const { domainId, domain } = await readDomain();
    const [record] = domain.dnsRecords;
    await card.getByText(record.name, { exact: true }).waitFor();
    await card.getByText(record.relativeName, { exact: true }).waitFor();
    await card.getByText(record.value, { exact: true }).waitFor();
    // Set outside this page, as at a DNS provider.
    await setDnsRecords(instance.admin, domain);
    await card.locator('[data-status="ATTACHED"]').waitFor();
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, domainId, "ATTACHED"));
    await card.getByRole("button", { name: "Check DNS now" }).click();
    await card.getByText("The domain is live.").waitFor();
    assert.equal(await card.locator('tr [data-status="OK"]').count(), 2);
  });

  it("sets variables, says when a secret is stored, and never shows it", async () => {
    await page.getByRole("link", { name: "Web" }).click();
    await page.getByText("Set a variable").click();
    await setVariable("LOG_LEVEL", "plainText", "Value", "debug");
    await variableRow("LOG_LEVEL").getByText("debug").waitFor();
    await setVariable("DB_PASSWORD", "secretsManager", "Secret value", SECRET);
    await variableRow("DB_PASSWORD").locator('[data-status="STORED"]').waitFor();
    await page.getByText("DB_PASSWORD is stored in the cloud account.").waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    // Both lists show both: what is set, and what the service gets.
    assert.equal(await page.getByRole("cell", { name: "LOG_LEVEL", exact: true }).count(), 2);
    await page.getByRole("button", { name: "Delete LOG_LEVEL" }).click();
    await page.getByRole("button", { name: "Delete variable" }).click();
    await variableRow("LOG_LEVEL").first().waitFor({ state: "detached" });
  });

  it("shows names and values that look like markup as text", async () => {
    const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await setVariable("MARKUP", "plainText", "Value", markup);
    await variableRow("MARKUP").getByText(markup, { exact: true }).waitFor();
    const { body } = await instance.admin.get("/v1/projects");
    const [{ awsAccountId }] = body.projects;
    await instance.admin.patch(`/v1/aws-accounts/${awsAccountId}`, { name: markup });
    const created = await instance.admin.post("/v1/projects", {
      name: markup,
      repoUrl: "https://git.sandbox.test/demo.git",
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    await place("Projects").click();
    await page.getByRole("link", { name: markup, exact: true }).click();
    await heading(markup).waitFor();
    assert.equal(await page.title(), `${markup} · Slipway`);
    await place("Cloud accounts").click();
    await page.getByRole("link", { name: markup, exact: true }).waitFor();
    assert.equal(await page.locator('img[src="x"], main script').count(), 0);
  });

  it("shows a complete problem, with the request id, when a write is refused", async () => {
    await page.getByRole("link", { name: "<img" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete connection" }).click();
    const problem = page.getByRole("dialog").getByRole("alert");
    await problem.getByRole("link", { name: "AWS_ACCOUNT_IN_USE" }).waitFor();
    assert.match(await problem.innerText(), /request [0-9a-f-]{36}/);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("creates an API key, shows it once, and returns to the sign-in when its own is revoked", async () => {
    await place("API keys").click();
    await heading("API keys").waitFor();
    await page.getByLabel("Name").fill("Short-lived");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await page.getByRole("dialog").locator("code").innerText();
    await page.getByRole("button", { name: "Done" }).click();
    // The dialog leaves the page with its `close` event, which comes a task after the click.
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.notEqual(key, "");
    assert.ok(!(await page.content()).includes(key));
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    await signIn(key);
    await heading("API keys").waitFor();
    const { body } = await instance.admin.get("/v1/api-keys");
    const { id } = body.apiKeys.find(({ name }: { name: string }) => name === "Short-lived");
    await instance.admin.delete(`/v1/api-keys/${id}`);
    // A revoked key may be known for five seconds more.
    await until(async () => {
      if (await heading("Sign in").isVisible()) return true;
      await page.evaluate("location.hash = location.hash === '#/users' ? '#/projects' : '#/users'");
      return false;
    }, "the revoked key leads to the sign-in");
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  });

  it("shows every page on a phone without horizontal scrolling", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await signIn(ADMIN_KEY);
    for (const name of ["Projects", "Deployments", "Cloud accounts", "Git", "Users", "API keys", "Audit"]) {
      await place(name).click();
      await assertFits(name);
    }
    for (const path of ownPages) {
      await page.goto(`${instance.url}/console/${path}`);
      await assertFits(path);
    }
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  const place = (name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
  const variableRow = (name: string) =>
    page
      .getByRole("table", { name: "Variables", exact: true })
      .getByRole("row")
      .filter({ has: page.getByRole("cell", { name, exact: true }) });

  async function assertFits(name: string): Promise<void> {
    await page.locator("main:not([aria-busy]) h1").waitFor();
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
  }

  async function signIn(key: string): Promise<void> {
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  async function setVariable(name: string, kind: string, label: string, value: string): Promise<void> {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Kind").selectOption(kind);
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole("button", { name: "Set variable" }).click();
  }

  async function readDomain() {
    const groupId = new URL(page.url()).hash.replace("#/groups/", "");
    const { body } = await instance.admin.get(`/v1/domain-certificate-groups/${groupId}/domains`);
    const [domain] = body.domains;
    return { domainId: domain.id, domain };
  }
});
