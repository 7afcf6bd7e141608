/**
 * From an empty organization to a served domain and its variables, as a user does it only in the console, and with only
 * the keyboard.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { setDnsRecords, untilDomain } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { openConsole, signIn } from "./console.ts";
import { choose, press, type } from "./keyboard.ts";

const DOMAIN = "www.shop.example.com";
const SECRET = "a secret that no page shows";
const MARKUP = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe("the console, from nothing to a served domain", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  /** Writes without an Idempotency-Key, and requests to other origins. */
  const wrongRequests: string[] = [];

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    browser.context.on("request", (request) => {
      const { origin, hostname, pathname } = new URL(request.url());
      // A site that is opened.
      if (hostname.endsWith(".localhost")) return;
      const isForm = pathname.startsWith("/sandbox/console/");
      const lacksKey =
        request.method() !== "GET" && !isForm && request.headers()["idempotency-key"] === undefined;
      if (lacksKey || origin !== instance.url) wrongRequests.push(`${request.method()} ${request.url()}`);
    });
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => {
    browser.assertSound();
    assert.deepEqual(wrongRequests, []);
  });

  it("connects a cloud account step by step, through the page of its stack", async () => {
    for (const title of ["Create a project", "Deploy it", "Add a domain of yours"]) {
      await page.getByText(title, { exact: true }).waitFor();
      assert.equal(await step(title).count(), 0, `${title} cannot be done yet`);
    }
    await press(step("Do it step by step, as in a real cloud"));
    await heading("Connect a cloud account").waitFor();
    await type(page.getByLabel("Given id"), "not an id");
    await press(page.getByRole("button", { name: "Connect account" }));
    await page.getByText("One field needs a change.").waitFor();
    assert.equal(await page.getByLabel("Given id").getAttribute("aria-invalid"), "true");
    assert.equal(await page.evaluate("document.activeElement.name"), "givenId");
    await type(page.getByLabel("Given id"), "acme");
    await press(page.getByRole("button", { name: "Connect account" }));
    const opened = browser.context.waitForEvent("page");
    await press(page.getByRole("link", { name: "Open the stack console" }));
    const stack = await opened;
    await press(stack.getByRole("button", { name: "Create stack" }));
    await stack.getByText("CREATE_COMPLETE").waitFor();
    await stack.close();
    await page.locator('[data-status="CONNECTED"]').waitFor();
  });

  it("adds a git integration, creates a project from its repository and deploys it", async () => {
    await press(step("Connect git"));
    await type(page.getByLabel("Access token"), "any");
    await press(page.getByRole("button", { name: "Add", exact: true }));
    await page.getByText("GitHub").first().waitFor();
    await press(step("Create a project").first());
    await type(page.getByLabel("Name", { exact: true }), "Shop");
    await press(page.getByRole("button", { name: "Create project" }));
    await heading("Shop").waitFor();
    await press(page.getByRole("button", { name: "Deploy", exact: true }));
    await press(page.getByRole("dialog").getByRole("button", { name: "Deploy now" }));
    await page.getByRole("heading", { level: 1, name: "Deployment" }).waitFor();
    await page.locator('h1 ~ [data-status="SUCCESS"]').waitFor();
    await opensTheSite(page.getByRole("link", { name: /\.cdn\.sandbox\.test$/ }).first());
    await step("Add a domain").waitFor();
  });

  it("shows which of several domain names is refused, and why", async () => {
    await press(page.getByRole("link", { name: "Web", exact: true }).first());
    await heading("Web").waitFor();
    await press(page.getByRole("link", { name: "Domains", exact: true }).last());
    await press(page.getByRole("link", { name: "Add domains" }).first());
    await heading("Add domains").waitFor();
    const field = page.getByLabel("Domain names");
    await type(field, `${DOMAIN}\nco.uk\n_x.example.com`);
    await press(page.getByRole("button", { name: "Add domains" }));
    await page
      .getByText(/co[.]uk/)
      .last()
      .waitFor();
    await page
      .getByText(/_x[.]example[.]com/)
      .last()
      .waitFor();
    await field.and(page.locator("[aria-invalid=true]")).waitFor();
  });

  it("shows the record to set, and then the served domain without a reload", async () => {
    await type(page.getByLabel("Domain names"), DOMAIN);
    await press(page.getByRole("button", { name: "Add domains" }));
    await heading(DOMAIN).waitFor();
    const { domains } = await until(async () => {
      const groupId = new URL(page.url()).pathname.split("/").at(-1);
      const { body } = await instance.admin.get(`/v1/domain-certificate-groups/${groupId}/domains`);
      return body.domains[0].dnsRecords.length > 0 && body;
    }, "the domain has a record");
    const [domain] = domains;
    const [record] = domain.dnsRecords;
    await page.getByText(record.relativeName, { exact: true }).waitFor();
    await page.getByText(record.value, { exact: true }).waitFor();
    // Set outside this page, as at a DNS provider.
    await setDnsRecords(instance.admin, domain);
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, domain.id, "ATTACHED"));
    await press(page.getByRole("button", { name: "Check all now" }));
    await page.getByText("Served", { exact: true }).first().waitFor();
    await opensTheSite(page.getByRole("link", { name: `Open ${DOMAIN}`, exact: true }).first());
    await page.getByText("opens NAME.localhost in a browser").waitFor();
  });

  /** The site is on another host than the console, so it gets none of its cookies. */
  async function opensTheSite(link: Locator): Promise<void> {
    const opened = browser.context.waitForEvent("page");
    await press(link);
    const site = await opened;
    await site.getByText("It floats").first().waitFor();
    const { hostname, protocol } = new URL(site.url());
    assert.match(hostname, /\.localhost$/);
    assert.equal(protocol, "http:");
    assert.deepEqual(await browser.context.cookies(site.url()), []);
    await site.close();
  }

  it("sets variables, says when a secret is stored, and never shows it", async () => {
    await press(page.getByRole("link", { name: "Web", exact: true }).first());
    await press(page.getByRole("link", { name: "Variables", exact: true }));
    await setVariable("LOG_LEVEL", "plainText", "Value", "debug");
    await page
      .getByRole("row", { name: /LOG_LEVEL/ })
      .getByText("debug")
      .first()
      .waitFor();
    await setVariable("DB_PASSWORD", "secretsManager", "Secret value", SECRET);
    await until(async () => {
      const serviceId = new URL(page.url()).pathname.split("/").at(-2);
      const { body } = await instance.admin.get(`/v1/services/${serviceId}/env-variables`);
      return body.envVariables.some(
        ({ name, state }: { name: string; state: string }) => name === "DB_PASSWORD" && state === "STORED",
      );
    }, "the secret is stored");
    await page.getByRole("row", { name: /DB_PASSWORD/ }).waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    await press(page.getByRole("button", { name: "LOG_LEVEL", exact: true }));
    await press(page.getByRole("dialog").getByRole("button", { name: "Delete LOG_LEVEL of Web" }));
    await press(page.getByRole("button", { name: "Delete variable" }));
    await page.keyboard.press("Escape");
    await page.getByRole("row", { name: /LOG_LEVEL/ }).waitFor({ state: "detached" });
  });

  it("shows names and values that look like markup as text", async () => {
    await setVariable("MARKUP", "plainText", "Value", MARKUP);
    await page.getByText(MARKUP, { exact: true }).first().waitFor();
    const { body } = await instance.admin.get("/v1/projects");
    const [{ id, awsAccountId }] = body.projects;
    await press(place("Cloud accounts"));
    await heading("Cloud accounts").waitFor();
    for (const path of [`/v1/aws-accounts/${awsAccountId}`, `/v1/projects/${id}`]) {
      const { status, text } = await instance.admin.patch(path, { name: MARKUP });
      assert.equal(status, 200, text);
    }
    // The page that is open shows the new name without a reload.
    await page.getByRole("link", { name: MARKUP, exact: true }).waitFor();
    await press(place("Projects"));
    await heading("Projects").waitFor();
    await press(page.getByRole("link", { name: MARKUP, exact: true }));
    await heading(MARKUP).waitFor();
    await press(place("Cloud accounts"));
    await heading("Cloud accounts").waitFor();
    await press(page.getByRole("link", { name: MARKUP, exact: true }));
    await heading(MARKUP).waitFor();
    assert.equal(await page.title(), `${MARKUP} · Slipway`);
    assert.equal(await page.locator('img[src="x"], main script').count(), 0);
  });

  it("shows a complete problem, with the request's id, when a write is refused", async () => {
    await press(page.getByRole("button", { name: "Delete", exact: true }).first());
    const dialog = page.getByRole("dialog");
    await press(dialog.getByRole("button", { name: /^Delete/ }));
    const problem = dialog.getByRole("alert");
    await problem.getByRole("link", { name: "AWS_ACCOUNT_IN_USE" }).waitFor();
    assert.match(await problem.innerText(), /request [0-9a-f-]{36}/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("creates an API key and shows it once", async () => {
    await press(place("API keys"));
    await press(page.getByRole("link", { name: "Create a key" }).first());
    await type(page.getByLabel("Name", { exact: true }), "Shop CI");
    await press(page.getByRole("button", { name: "Create key" }));
    const key = await page.getByRole("dialog").locator("code").innerText();
    await press(page.getByRole("button", { name: "Done" }));
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.match(key, /^\S{20,}$/);
    assert.ok(!(await page.content()).includes(key));
    await press(place("API keys"));
    await page.getByText("Shop CI").waitFor();
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  const place = (name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
  const step = (name: string) => page.getByRole("link", { name, exact: true });

  async function setVariable(name: string, kind: string, label: string, value: string): Promise<void> {
    await press(page.getByRole("link", { name: "Set a variable" }).first());
    await type(page.getByLabel("Name", { exact: true }), name);
    await choose(page.getByLabel("Kind"), kind);
    await type(page.getByLabel(label, { exact: true }), value);
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await heading("Web").waitFor();
  }
});
