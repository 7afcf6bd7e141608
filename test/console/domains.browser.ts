/** A domain in the console: from typed names to a served name, by what a person reads, with only the keyboard. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Browser } from "../helpers/processes/browser.ts";
import { attach, createProject, setDnsRecords, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";
import { assertAccessible, assertFits, isInside, open, openConsole, signIn } from "./console.ts";
import { choose, chooseAction, press, reach, tick, type } from "./keyboard.ts";

const DOMAIN = "www.shop.example.com";

describe("domains in the console", () => {
  let instance: Instance;
  let browser: Browser;
  let page: Page;
  let serviceId: string;
  let domainId: string;

  before(async () => {
    instance = await startInstance();
    browser = await openConsole();
    ({ page } = browser);
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { services } = await createProject(instance.admin, "shop");
    serviceId = String(services["web"]);
    await signIn(page, instance);
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  it("says at the field which of several names is refused, and keeps what was typed", async () => {
    await open(page, instance, `/services/${serviceId}/domains/new`, "Add domains");
    await type(page.getByLabel("Domain names"), `${DOMAIN}, co.uk\n_x.example.com`);
    await page.getByText("3 names, 2 cannot be added").waitFor();
    const names = page.getByRole("list", { name: "Names to add" }).getByRole("listitem");
    await names.filter({ hasText: DOMAIN }).getByText("New").waitFor();
    await names.filter({ hasText: "co.uk" }).getByText("It is a public suffix").waitFor();
    await press(page.getByRole("button", { name: "Add domains" }));
    await page.getByText("co.uk: It is a public suffix, under which anyone can register names").waitFor();
    await page
      .getByText("_x.example.com: It contains an underscore, which certificates do not allow.")
      .waitFor();
    assert.equal(await page.getByLabel("Domain names").getAttribute("aria-invalid"), "true");
    assert.equal(await page.getByLabel("Domain names").inputValue(), `${DOMAIN}, co.uk\n_x.example.com`);
    await assertAccessible(page, "the refused names");
  });

  it("imports a list after a look at what becomes of each line", async () => {
    await open(page, instance, `/services/${serviceId}/domains/new`, "Add domains");
    await press(page.getByRole("link", { name: "Import a list" }));
    await page.getByRole("heading", { level: 1, name: "Import domains" }).waitFor();
    const many = Array.from({ length: 120 }, (_, index) => `list.example.org,${index}`).join("\n");
    await page
      .getByLabel("Names", { exact: true })
      .fill(`domain,owner\n${many}\nnot a name,B\nnor this,C\nwww.other-owner.com,D`);
    await press(page.getByRole("button", { name: "Check the names" }));
    await page.getByText("New: 2, in new groups: 2. There already: 119. Refused: 2. Skipped: 1.").waitFor();
    await page.getByText("2 lines are refused. Each must be a bare domain name").waitFor();
    const rows = page.getByRole("table", { name: "Result of each line" }).getByRole("row");
    for (const name of ["list.example.org", "www.other-owner.com"])
      await rows
        .filter({ hasText: "new" })
        .getByRole("cell", { name: `${name} new` })
        .waitFor();
    const add = page.getByRole("button", { name: "Add new domains: 2" });
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      assert.ok(await isInside(add), `the action is in view, ${width} px wide`);
      await assertFits(page, `the preview, ${width} px wide`);
      await assertAccessible(page, `the preview, ${width} px wide`);
    }
    await page.setViewportSize({ width: 1_280, height: 900 });
    assert.deepEqual((await instance.admin.get("/v1/domains?name=list.example.org")).body.domains, []);
    await press(add);
    await page.getByText("Domains added: 2.").waitFor();
    const { body } = await instance.admin.get("/v1/domains?name=list.example.org");
    assert.equal(body.domains.length, 1);
    await open(page, instance, `/services/${serviceId}/domains/new`, "Add domains");
  });

  it("imports a file that is chosen or dropped, and refuses other files than text, and too large ones", async () => {
    await open(page, instance, `/services/${serviceId}/domains/import`, "Import domains");
    const names = page.getByLabel("Names", { exact: true });
    const chooser = page.getByLabel("Or choose a file:");
    const list = "domain,owner\nwww.from-a-file.com,Acme";
    const choose = async (name: string, bytes: Buffer) =>
      await chooser.setInputFiles({ name, mimeType: "text/csv", buffer: bytes });
    await reach(chooser);
    await choose("list.csv", Buffer.from(list));
    await page.getByText("The text of list.csv is in the field.").waitFor();
    assert.equal(await names.inputValue(), list);
    await choose("list.xlsx", Buffer.from("PK\u0003\u0004\0\0"));
    await page.getByText("list.xlsx is not a text file. Save a spreadsheet as CSV").waitFor();
    await assertAccessible(page, "a file that is not text");
    await choose("all.csv", Buffer.alloc(1_500_000, "a"));
    await page.getByText("all.csv has 1.5 MB, and a file may have at most 1 MB. Use it in parts.").waitFor();
    assert.equal(await names.inputValue(), list, "the text of the first file stays");
    await drop(names, ["one.csv", "two.csv"]);
    await page.getByText("Drop one file at a time.").waitFor();
    await drop(names, ["dropped.txt"]);
    await page.getByText("The text of dropped.txt is in the field.").waitFor();
    assert.equal(await names.inputValue(), "dropped.txt");
    await choose("list.csv", Buffer.from(list));
    await press(page.getByRole("button", { name: "Check the names" }));
    await page.getByRole("button", { name: "Add new domains: 1" }).waitFor();
    await press(page.getByRole("button", { name: "Cancel" }));
    await page.getByRole("heading", { level: 1, name: "Web" }).waitFor();
  });

  it("groups an import by a column of the list", async () => {
    await open(page, instance, `/services/${serviceId}/domains/import`, "Import domains");
    await page
      .getByLabel("Names", { exact: true })
      .fill("Domain,Customer\nwww.column-one.com,Acme\nwww.column-two.com,Acme\nm.column-two.com,Bolt");
    await reach(page.getByLabel("One group for each registrable domain"));
    await page.keyboard.press("ArrowDown");
    const check = page.getByRole("button", { name: "Check the names" });
    assert.equal(await check.getAttribute("aria-disabled"), "true", "a column is needed");
    await choose(page.getByLabel("Column", { exact: true }), "Customer");
    await press(check);
    const table = page.getByRole("table", { name: "Result of each line" });
    await until(
      async () => (await table.getByRole("cell", { name: "Acme new" }).count()) === 2,
      "one customer's group",
    );
    await table.getByRole("cell", { name: "Bolt new" }).waitFor();
    await assertAccessible(page, "an import by customer");
    await press(page.getByRole("button", { name: "Cancel" }));
    await page.getByRole("heading", { level: 1, name: "Web" }).waitFor();
    await open(page, instance, `/services/${serviceId}/domains/new`, "Add domains");
  });

  it("shows both records to set, and copies all as a zone file", async () => {
    await type(page.getByLabel("Domain names"), DOMAIN);
    await press(page.getByRole("button", { name: "Add domains" }));
    await page.getByRole("heading", { level: 1, name: DOMAIN }).waitFor();
    await domains().getByText("Waiting for your DNS record").waitFor();
    for (const words of ["Nothing found", "Set it now"])
      await until(async () => (await records().getByText(words).count()) === 2, `both records: ${words}`);
    const { body } = await instance.admin.get(`/v1/domains?name=${DOMAIN}`);
    const [domain] = body.domains;
    domainId = domain.id;
    assert.equal(domain.dnsRecords.length, 2);
    for (const { relativeName } of domain.dnsRecords)
      await records().getByText(relativeName, { exact: true }).waitFor();
    await chooseAction(page.getByRole("button", { name: "Copy records" }), "As a zone file");
    await page.getByText("Copied all records as a zone file.").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    for (const { name, value } of domain.dnsRecords)
      assert.ok(copied.includes(`${name}.\t300\tIN\tCNAME\t${value}.`), copied);
  });

  it("says what is found in place of a record", async () => {
    const { body: domain } = await instance.admin.get(`/v1/domains/${domainId}`);
    const { name, type } = domain.dnsRecords[0];
    const set = await instance.admin.put("/sandbox/dns/records", {
      name,
      type,
      values: ["wrong.example.net"],
    });
    assert.equal(set.status, 204, set.text);
    await checkNow();
    await records()
      .getByText(/^Found wrong[.]example[.]net/)
      .waitFor();
    await domains().getByText("Wrong DNS record").waitFor();
    await domains().getByText("You: correct 1 record, set 1").waitFor();
  });

  it("calls the domain served only once its name points at the service, without a reload", async () => {
    const { body: waiting } = await instance.admin.get(`/v1/domains/${domainId}`);
    // The first record is only for the certificate.
    await setDnsRecords(instance.admin, { dnsRecords: waiting.dnsRecords.slice(0, 1) });
    await domains().getByText("Ready, does not point here yet").waitFor();
    await page.getByText("0 of 1 served").waitFor();
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, domainId, "ATTACHED"));
    await checkNow();
    await domains().getByText("Served", { exact: true }).waitFor();
    await page.getByText("1 of 1 served").waitFor();
    await page.getByText("All records are set.").waitFor();
  });

  it("says what happened to the domain, the newest first, while it happens", async () => {
    await press(page.getByRole("button", { name: `Timeline of ${DOMAIN}` }));
    const timeline = page.getByRole("list", { name: `Timeline of ${DOMAIN}` });
    await timeline.getByText("The domain was added.").waitFor();
    const lines = await timeline.getByRole("listitem").allInnerTexts();
    assert.ok(lines[0]?.startsWith("The connection record is set."), lines.join("\n"));
    for (const sentence of [
      "The domain is served over HTTPS.",
      "The certificate was issued",
      "Found wrong.example.net in place of the verification record.",
    ])
      assert.ok(
        lines.some((line) => line.startsWith(sentence)),
        `${sentence} in ${lines.join("\n")}`,
      );
    await assertAccessible(page, "the timeline");
    const { body } = await instance.admin.get(`/v1/domains/${domainId}`);
    const { name, type, value } = body.dnsRecords[1];
    await instance.admin.delete("/sandbox/dns/records", { name, type });
    await instance.admin.post(`/v1/domains/${domainId}/check`);
    await timeline.getByText("The connection record is no longer set.").waitFor();
    await instance.admin.put("/sandbox/dns/records", { name, type, values: [value] });
    await instance.admin.post(`/v1/domains/${domainId}/check`);
    await timeline
      .getByText(/^2 times since/)
      .first()
      .waitFor();
    await page.getByText("1 of 1 served").waitFor();
  });

  it("serves a name whose records Slipway sets, without manual work", async () => {
    const name = "www.zone.example.org";
    const { body: service } = await instance.admin.get(`/v1/services/${serviceId}`);
    const { body: project } = await instance.admin.get(`/v1/projects/${service.projectId}`);
    const zone = { ServiceId: project.awsAccountId, name: "zone.example.org" };
    assert.equal((await instance.admin.post("/sandbox/zones", zone)).status, 201);
    await open(page, instance, `/services/${serviceId}/domains/new`, "Add domains");
    await type(page.getByLabel("Domain names"), name);
    await tick(page.getByLabel("Let Slipway set the DNS records"));
    await press(page.getByRole("button", { name: "Add domains" }));
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await domains().getByText("Served", { exact: true }).waitFor();
    await assertAccessible(page, "records that Slipway sets");
    await press(page.getByRole("link", { name: "Settings", exact: true }).last());
    await page.getByText("Slipway, in zones of the connected account").waitFor();
    await press(page.getByRole("button", { name: "Set them yourself" }));
    await page.getByRole("button", { name: "Let Slipway set them" }).waitFor();
    const { body } = await instance.admin.get(`/v1/domains?name=${name}`);
    const { body: group } = await instance.admin.get(
      `/v1/domain-certificate-groups/${body.domains[0].domainCertificateGroupId}`,
    );
    assert.equal(group.autoDns, false);
  });

  it("lets a name redirect to another one of its group, and ends that", async () => {
    const [www, apex] = ["www.led.example.org", "led.example.org"];
    const group = await attach(instance.admin, serviceId, [www, apex]);
    const { id } = group.createdDomains.find(({ name }: { name: string }) => name === www);
    await open(page, instance, `/groups/${group.id}/redirects`, group.name);
    await choose(page.getByLabel("Name that redirects"), id);
    await choose(page.getByLabel("Name to redirect to"), apex);
    await press(page.getByRole("button", { name: "Redirect", exact: true }));
    const redirects = page.getByRole("table", { name: "Redirects", exact: true });
    await redirects
      .getByText("Redirects", { exact: true })
      .and(page.locator("[data-status=SERVED]"))
      .waitFor();
    await assertAccessible(page, "a redirect");
    await press(page.getByRole("button", { name: `End the redirect of ${www}` }));
    await redirects.waitFor({ state: "detached" });
    assert.equal((await instance.admin.get(`/v1/domains/${id}`)).body.redirectTo, null);
  });

  it("finds domains by what the address says, and clears what matches nothing", async () => {
    await open(page, instance, "/domains?name=www.", "Domains");
    await page.getByRole("link", { name: DOMAIN }).waitFor();
    await choose(page.getByLabel("State"), "ERROR_ATTACHING");
    await page.getByText("No domain matches").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("status"), "ERROR_ATTACHING");
    await press(page.getByRole("button", { name: "Clear the filter" }));
    await tick(page.getByLabel(`Choose ${DOMAIN}`));
    const bulk = page.getByRole("group", { name: "Actions for 1 domain" });
    await press(bulk.getByRole("button", { name: "Check DNS" }));
    await page.getByText("Checking. The result appears here.").waitFor();
    await bulk.waitFor({ state: "detached" });
  });

  it("shares, and deletes, several domains at once, each group with a link of its own", async () => {
    const names = ["www.bulk-one.com", "www.bulk-two.com", "shop.bulk-two.com"];
    const csv = `domain\n${names.join("\n")}`;
    await instance.admin.post(`/v1/services/${serviceId}/domains/import`, { csv });
    await open(page, instance, "/domains", "Domains");
    for (const name of names) await tick(page.getByLabel(`Choose ${name}`));
    const bulk = page.getByRole("group", { name: "Actions for 3 domains" });
    await assertAccessible(page, "chosen domains");
    await press(bulk.getByRole("button", { name: "Share" }));
    const dialog = page.getByRole("dialog", { name: "Share 3 domains" });
    await dialog.getByLabel("It works for").selectOption({ label: "30 days" });
    await page.route(/share-links$/, (route) => route.abort("connectionrefused"));
    await press(dialog.getByRole("button", { name: "Create 2 links" }));
    await dialog.getByText("Slipway does not answer").waitFor();
    assert.equal(await dialog.getByLabel("It works for").inputValue(), "30", "the choice is kept");
    await page.unrouteAll();
    const { body } = await instance.admin.get("/v1/domains?name=shop.bulk-two.com");
    const other = String(body.domains[0].domainCertificateGroupId);
    await page.route(`**/${other}/share-links`, (route) => route.abort("connectionrefused"));
    await press(dialog.getByRole("button", { name: "Create 2 links" }));
    await dialog.getByText("No link for one group").waitFor();
    await page.unrouteAll();
    await press(dialog.getByRole("button", { name: "Try again" }));
    await dialog.getByRole("button", { name: /^Copy the link for .*bulk-two/ }).waitFor();
    assert.equal(await dialog.getByText("No link for one group").count(), 0);
    await dialog.getByRole("button", { name: "Copy the link for www.bulk-one.com" }).waitFor();
    const urls = await dialog.getByText(/\/share\/\w{27}$/).allInnerTexts();
    assert.equal(urls.length, 2);
    const pages = await Promise.all(urls.map(async (url) => await (await fetch(url)).text()));
    for (const text of pages)
      assert.equal(text.includes("bulk-one"), !text.includes("bulk-two"), "one owner each");
    await assertAccessible(page, "links for several owners");
    await press(dialog.getByRole("button", { name: "Done" }));
    await chooseAction(
      page.getByRole("button", { name: "Actions for www.bulk-one.com" }),
      "Share with the owner…",
    );
    const again = page.getByRole("dialog", { name: "Share www.bulk-one.com" });
    await tick(again.getByLabel("Send again: end earlier links to these domains"));
    await press(again.getByRole("button", { name: "Create a link" }));
    await again.getByRole("button", { name: "Done" }).waitFor();
    const old = urls[pages.findIndex((text) => text.includes("bulk-one"))] ?? "";
    assert.equal((await fetch(old)).status, 404, "the earlier link ended");
    await press(again.getByRole("button", { name: "Done" }));
    await press(bulk.getByRole("button", { name: "Delete" }));
    const question = page.getByRole("dialog", { name: "Delete 3 domains?" });
    await question.getByText("They are in 2 groups, whose other domains stay as they are.").waitFor();
    await press(question.getByRole("button", { name: "Delete 3 domains" }));
    await page.getByText("3 domains being removed.").waitFor();
    await until(async () => {
      const { body } = await instance.admin.get("/v1/domains?namePrefix=www.bulk-");
      return body.domains.every(({ status }: { status: string }) => status === "DETACHING");
    }, "they are being deleted");
  });

  it("asks for the service before domains are added", async () => {
    await open(page, instance, "/domains", "Domains");
    await press(page.getByRole("button", { name: "Add domains" }));
    const dialog = page.getByRole("dialog", { name: "Add domains" });
    await dialog.getByLabel("Service").waitFor();
    await assertAccessible(page, "the choice of a service");
    await press(dialog.getByRole("button", { name: "Cancel" }));
  });

  it("deletes a served domain only after its name is typed, and says what is lost", async () => {
    await press(page.getByRole("link", { name: DOMAIN }));
    // The list that led here has a menu for the domain too.
    await page.getByRole("heading", { level: 1, name: DOMAIN }).waitFor();
    await chooseAction(page.getByRole("button", { name: `Actions for ${DOMAIN}` }), "Delete…");
    const dialog = page.getByRole("dialog", { name: `Delete ${DOMAIN}?` });
    await dialog.getByText("It is served now, and stops answering.").waitFor();
    assert.equal(
      await dialog.getByRole("button", { name: "Delete domain" }).getAttribute("aria-disabled"),
      "true",
    );
    await type(dialog.getByLabel(`Type ${DOMAIN} to continue`), DOMAIN);
    await press(dialog.getByRole("button", { name: "Delete domain" }));
    await page.getByText(`${DOMAIN} is being removed.`).waitFor();
    // Its certificate and its distribution are removed first.
    await page.getByText("No domains in this group").waitFor({ timeout: 120_000 });
  });

  it("shows a viewer why nothing can be changed", async () => {
    const { key } = await createUserClient(instance.admin, "viewer");
    await browser.context.clearCookies();
    await signIn(page, instance, key);
    await open(page, instance, `/services/${serviceId}/domains`, "Web");
    const add = page.getByRole("button", { name: "Add domains" });
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    await add.focus();
    await page.getByRole("tooltip").getByText("This needs the role developer").waitFor();
  });

  const domains = () => page.getByRole("table", { name: "Domains", exact: true });
  const records = () => page.getByRole("table", { name: `Records of ${DOMAIN}`, exact: true });
  const checkNow = () =>
    chooseAction(page.getByRole("button", { name: `Actions for ${DOMAIN}` }), "Check now");
});

/** Drops text files on a field; the text of each is its name. */
async function drop(field: Locator, names: readonly string[]): Promise<void> {
  const dataTransfer = await field.page().evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) transfer.items.add(new File([name], name));
    return transfer;
  })()`);
  await field.dispatchEvent("drop", { dataTransfer });
}
