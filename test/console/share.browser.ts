/**
 * A share link, from the console to a served domain: a user of the console creates it, and the owner of the domain, who
 * has a phone and no account, does what the page says. The owner enters what the page shows.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { becomeKnown, CONNECT_ENV, delegateZone } from "../helpers/customers/dns-provider.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { createGroup, createProject, type Project, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { assertAccessible, assertFits, open, openConsole, signIn } from "./console.ts";
import { choose, press, type } from "./keyboard.ts";

const NAME = "www.owner.example.com";
const ZONE = "example.com";
const CONNECTED_ZONE = "owner-connected.com";
/** A certificate is issued meanwhile, and a distribution changed. */
const TIMEOUT_MS = 60_000;
/** An image of 24 × 8 pixels. */
const LOGO = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAABgAAAAICAMAAADUf89RAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAAdTAAAOpgAAA6mAAAF3CculE8AAAAA1BMVEX///+nxBvIAAAAAWJLR0QAiAUdSAAAAAd0SU1FB+oLGgYGGQXDZ1oAAAAMSURBVAjXY2AYHgAAAMgAAXxjaX0AAAAldEVYdGRhdGU6Y3JlYXRlADIwMjYtMTEtMjZUMDY6MDY6MjUrMDA6MDD2o/kPAAAAJXRFWHRkYXRlOm1vZGlmeQAyMDI2LTExLTI2VDA2OjA2OjI1KzAwOjAwh/5BswAAAABJRU5ErkJggg==",
  "base64",
);
const PHONE = { width: 320, height: 640 };

describe("a share link", () => {
  let instance: Instance;
  let desk: Browser;
  let phone: Browser;
  let owner: Page;
  let services: Project["services"];
  let groupId: string;
  let domainId: string;
  let url: string;

  before(async () => {
    instance = await startInstance({ env: { ...CONNECT_ENV, SLIPWAY_SHARE_NAME: "Acme Sites" } });
    await becomeKnown(instance.admin);
    await delegateZone(instance.admin, CONNECTED_ZONE);
    ({ services } = await createProject(instance.admin, "owner"));
    const group = await createGroup(instance.admin, services["web"], [NAME]);
    groupId = group.id;
    domainId = group.createdDomains[0].id;
    desk = await openConsole();
    phone = await openConsole(PHONE);
    owner = phone.page;
    for (const { context } of [desk, phone]) context.setDefaultTimeout(TIMEOUT_MS);
    await phone.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn(desk.page, instance);
  });
  after(async () => {
    await desk.dispose();
    await phone.dispose();
    await instance.dispose();
  });
  afterEach(() => {
    desk.assertSound();
    phone.assertSound();
  });

  const part = (name: string) => owner.locator(`[data-live="${name}"]`);
  /** Enters a record in the zone as the page shows it. */
  async function enter(index: number): Promise<void> {
    const record = owner.locator("article").nth(index);
    const copied: string[] = [];
    for (const what of ["name", "value"]) {
      const shown = await record.locator(`[data-copy="${what}"]`).textContent();
      await record.getByRole("button", { name: `Copy the ${what}` }).click();
      await until(
        async () => (await owner.evaluate<string>("navigator.clipboard.readText()")) === shown,
        `the ${what} is copied`,
      );
      copied.push(shown ?? "");
    }
    const [name = "", value = ""] = copied;
    const type = await record.locator("dd").first().textContent();
    await set(name === "@" ? ZONE : `${name}.${ZONE}`, type ?? "", value);
  }
  async function set(name: string, type: string, value: string): Promise<void> {
    const answer = await instance.admin.put("/sandbox/dns/records", { name, type, values: [value] });
    assert.equal(answer.status, 204, answer.text);
  }

  it("is created in the console, by the keyboard, and shown once", async () => {
    const { page } = desk;
    await open(page, instance, `/groups/${groupId}/share`, NAME);
    await choose(page.getByLabel("It works for"), "30");
    await press(page.getByRole("button", { name: "Create a link" }));
    const dialog = page.getByRole("dialog", { name: "A link for the owner" });
    url = (await dialog.locator("code").textContent()) ?? "";
    assert.ok(url.startsWith(`${instance.url}/share/`), url);
    await assertAccessible(page, "the new link");
    await press(dialog.getByRole("button", { name: "Done" }));
    const links = page.getByRole("table", { name: "Share links" });
    await links.getByText("Not yet").waitFor();
    assert.ok(!(await page.content()).includes(url));
  });

  it("shows the owner what to set, on the narrowest phone, in both themes, and on paper", async () => {
    await untilDomain(instance.admin, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    // The page is loaded again when it is known who runs the DNS.
    await until(
      async () => (await instance.admin.get(`/v1/domains/${domainId}`)).body.dnsProvider !== null,
      "it is known who runs the DNS",
    );
    await owner.goto(url);
    await owner.getByRole("heading", { level: 1, name: `Set up ${NAME}` }).waitFor();
    await part("d0r0-state").getByText("Missing").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await owner.emulateMedia({ colorScheme });
      await assertAccessible(owner, `the page, ${colorScheme}`);
      await assertFits(owner, `the page, ${colorScheme}`);
    }
    await owner.emulateMedia({ media: "print" });
    assert.equal(await owner.getByRole("button").count(), 0);
    assert.ok(await owner.getByText("Set this").first().isVisible());
    await owner.emulateMedia({ media: "screen", colorScheme: "light" });
    await desk.page
      .getByRole("table", { name: "Share links" })
      .getByText("Not yet")
      .waitFor({ state: "detached" });
  });

  it("says beside it what is there instead, without a reload", async () => {
    const loaded = await owner.evaluate<number>("performance.timeOrigin");
    const { dnsRecords } = (await instance.admin.get(`/v1/domains/${domainId}`)).body;
    await set(dnsRecords[0].name, "CNAME", "elsewhere.example.net");
    await part("d0r0-state").getByText("Wrong").waitFor();
    assert.equal(await part("d0r0-there").textContent(), "elsewhere.example.net");
    await part("d0r0-problem").getByText("Found elsewhere.example.net").waitFor();
    assert.equal(await owner.evaluate<number>("performance.timeOrigin"), loaded);
  });

  it("leads the owner to a served domain", async () => {
    await enter(0);
    await part("d0r0-state").getByText("Right").waitFor();
    // The second record is known once the certificate is there; the page loads itself again then.
    await owner.locator("article").nth(1).waitFor();
    await enter(1);
    await owner.getByRole("button", { name: "Check now" }).click();
    await owner.getByText("All is set up. You can close this page.").waitFor();
    await owner.getByText("Done. Visitors reach it, over HTTPS.").waitFor();
    await assertAccessible(owner, "the page of a served domain");
    await desk.page.getByText("1 of 1 served").waitFor();
  });

  it("does the same without its script, on a desk", async () => {
    const plain = await openConsole();
    try {
      await plain.context.route("**/share/script.js*", (route) => route.abort());
      await plain.page.goto(url);
      await plain.page.getByText("All is set up. You can close this page.").waitFor();
      assert.equal(await plain.page.getByRole("button", { name: /^Copy/ }).count(), 0);
      await press(plain.page.getByRole("button", { name: "Check now" }));
      await plain.page.getByText("Checking now.").waitFor();
      await assertAccessible(plain.page, "the page without its script");
      plain.assertSound();
    } finally {
      await plain.dispose();
    }
  });

  it("has the name, colour and logo that an admin sets and sees in advance", async () => {
    const { page } = desk;
    const back = new URL(page.url()).pathname.replace("/console", "");
    await open(page, instance, "/settings", "Settings");
    const preview = page.getByRole("group", { name: "Preview of the share page" });
    await type(page.getByLabel("Name on share pages"), "Harbor <Hosting>");
    await preview.getByText("Harbor <Hosting>").first().waitFor();
    await type(page.getByLabel("Accent colour", { exact: true }), "#ffe14d");
    await page.getByText(/^Text on it is black, with a contrast of 1\d/).waitFor();
    const file = page.getByLabel("Logo");
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>");
    await file.setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: svg });
    await page.getByText("Choose a PNG, JPEG or WebP image.").waitFor();
    await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: svg });
    await page.getByText("The file is not an image that can be read.").waitFor();
    await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: LOGO });
    await preview.locator("canvas").first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page, `the settings of share pages, ${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await press(page.getByRole("button", { name: "Save branding" }));
    await page.getByText("Saved. Share pages show it from now on.").waitFor();
    await preview.locator("img").first().waitFor();
    await owner.goto(url);
    await owner.locator("header").getByText("Harbor <Hosting>").waitFor();
    assert.equal(await owner.evaluate<number>("document.querySelector('header img').naturalWidth"), 24);
    assert.equal(
      await owner.evaluate<string>("getComputedStyle(document.querySelector('header')).backgroundColor"),
      "rgb(255, 225, 77)",
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await owner.emulateMedia({ colorScheme });
      await assertAccessible(owner, `the page in the organization's colours, ${colorScheme}`);
      await assertFits(owner, `the page in the organization's colours, ${colorScheme}`);
    }
    await press(page.getByRole("button", { name: "Remove the logo" }));
    await page.getByLabel("Name on share pages").fill("");
    await press(page.getByRole("button", { name: "Save branding" }));
    await until(
      async () => (await instance.admin.get("/v1/organization/branding")).body.logo === null,
      "the logo is removed",
    );
    await owner.reload();
    await owner.locator("header").getByText("Acme Sites").waitFor();
    await open(page, instance, back, NAME);
  });

  it("leads the owner to a DNS provider that sets the records, and back, without anything typed", async () => {
    const name = `www.${CONNECTED_ZONE}`;
    const group = await createGroup(instance.admin, services["web"], [name]);
    const links = `/v1/domain-certificate-groups/${group.id}/share-links`;
    const { body: link } = await instance.admin.post(links, {});
    await owner.goto(link.url);
    await press(owner.getByRole("button", { name: "Set the records at Sandbox DNS" }));
    await owner.getByRole("heading", { level: 1, name: `Set the records of ${name}` }).waitFor();
    await assertAccessible(owner, "the step before the provider");
    await assertFits(owner, "the step before the provider");
    await press(owner.getByRole("link", { name: "Continue at Sandbox DNS" }));
    await owner.getByRole("heading", { level: 1, name: `Connect ${name} to Test Hosting?` }).waitFor();
    await press(owner.getByRole("button", { name: "Connect", exact: true }));
    await owner.getByText("All is set up. You can close this page.").waitFor();
    assert.equal(new URL(owner.url()).pathname, new URL(link.url).pathname);
    assert.equal(await owner.getByRole("button", { name: "Set the records at Sandbox DNS" }).count(), 0);
  });

  it("ends for all visitors at once when it is revoked in the console", async () => {
    const { page } = desk;
    await press(page.getByRole("button", { name: "Revoke" }));
    await press(page.getByRole("dialog").getByRole("button", { name: "Revoke the link" }));
    await page.getByText("The link no longer works.").waitFor();
    await owner.goto(url);
    await owner.getByRole("heading", { level: 1, name: "This link does not work" }).waitFor();
    await assertAccessible(owner, "the page of a revoked link");
    await assertFits(owner, "the page of a revoked link");
  });
});
