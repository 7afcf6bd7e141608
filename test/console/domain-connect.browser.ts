/** From a domain in the console to its DNS provider and back, by what the owner reads and presses. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { becomeKnown, CONNECT_ENV, delegateZone } from "../helpers/customers/dns-provider.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import type { Browser } from "../helpers/processes/browser.ts";
import { assertAccessible, open, openConsole, signIn } from "./console.ts";
import { press } from "./keyboard.ts";

const ZONE = "connected.com";
const DOMAIN = `www.${ZONE}`;

describe("Domain Connect in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let groupId: string;

  before(async () => {
    instance = await startInstance({ env: CONNECT_ENV });
    await becomeKnown(instance.admin);
    await delegateZone(instance.admin, ZONE);
    browser = await openConsole();
    ({ page } = browser);
    const { services } = await createProject(instance.admin, "shop");
    const group = await instance.admin.post(`/v1/services/${services["web"]}/domain-certificate-groups`, {
      domains: [DOMAIN],
      useDefaultCdn: false,
    });
    groupId = group.body.id;
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  const button = () => page.getByRole("button", { name: `Set records at Sandbox DNS: ${DOMAIN}` });

  it("leads back with nothing set where the owner does not agree", async () => {
    await open(page, instance, `/groups/${groupId}`, DOMAIN);
    await button().waitFor();
    await assertAccessible(page, "a group with a provider that sets records");
    await press(button());
    await page.getByRole("heading", { level: 1, name: `Connect ${DOMAIN} to Test Hosting?` }).waitFor();
    await press(page.getByRole("button", { name: "Cancel" }));
    await page.getByText("Nothing was agreed at the DNS provider.").waitFor();
    await page.getByRole("heading", { level: 1, name: DOMAIN }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/groups/${groupId}`);
  });

  it("leads from the button to a served name", async () => {
    await press(button());
    await press(page.getByRole("button", { name: "Connect", exact: true }));
    await page.getByText("Looking at the DNS. What the provider set appears here.").waitFor();
    await page.getByText("1 of 1 served").waitFor();
    await page.getByText("All records are set.").waitFor();
    assert.equal(await button().count(), 0);
  });

  it("takes the way back once", async () => {
    const [{ id }] = (await instance.admin.get(`/v1/domains?name=${DOMAIN}`)).body.domains;
    await page.goto(`${instance.url}/domain-connect/return/${id}?state=used`);
    await page.getByText("This return address has expired").waitFor();
    await page.getByRole("heading", { level: 1, name: DOMAIN }).waitFor();
  });
});
