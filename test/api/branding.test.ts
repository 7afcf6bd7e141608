/** How an organization's share links look: who may change it, what visitors see, and what hostile values do. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { animatedPng, jpegOf, pngOf } from "../../src/features/branding/testing-logos.ts";
import { createGroup, createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/organization/branding";
const UNSET = { name: null, accentColor: null, logo: null };
const LOGO = pngOf(240, 60);
const LOGO_TEXT = LOGO.toString("base64");

describe("branding", () => {
  let instance: Instance;
  let organizationId: string;
  let shareUrl: string;
  before(async () => {
    instance = await startInstance({
      withOtherOrganization: true,
      env: {
        SLIPWAY_SHARE_NAME: "The Installation",
        SLIPWAY_SHARE_LOGO_URL: "https://cdn.acme.example/i.svg",
      },
    });
    ({ id: organizationId } = (await instance.admin.get("/v1/me")).body.organization);
    const { services } = await createProject(instance.admin, "branded");
    const group = await createGroup(instance.admin, services["web"], ["www.branded.example.com"]);
    const links = `/v1/domain-certificate-groups/${group.id}/share-links`;
    shareUrl = (await instance.admin.post(links, {})).body.url;
  });
  after(() => instance.dispose());

  const set = async (change: object) => {
    const { status, body } = await instance.admin.patch(PATH, change);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const visit = async (url = shareUrl) => {
    const answer = await fetch(url, { redirect: "manual" });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const styleOf = async (page: string) => {
    const [, address = ""] = /rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
    return (await visit(new URL(address.replaceAll("&amp;", "&"), shareUrl).href)).text;
  };

  it("is the installation's until an admin changes it", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    const { body } = await viewer.get(PATH);
    assert.deepEqual({ ...body, appearance: undefined }, { ...UNSET, appearance: undefined });
    assert.deepEqual(
      [body.appearance.name, body.appearance.accentColor, body.appearance.logoUrl],
      ["The Installation", "#0b6479", "https://cdn.acme.example/i.svg"],
    );
    const { text } = await visit();
    assert.ok(text.includes("<span>The Installation</span>"));
    assert.ok(text.includes('src="https://cdn.acme.example/i.svg"'));
    const developer = await createUserClient(instance.admin, "developer");
    for (const client of [viewer, developer])
      assertRefused(await client.patch(PATH, { name: "Theirs" }), 403, "ROLE_TOO_LOW");
  });

  it("shows an organization's name, colour and logo, and says so in the audit and an event", async () => {
    const body = await set({ name: "Acme Sites", accentColor: "#7A1FA2", logo: LOGO_TEXT });
    assert.deepEqual([body.name, body.accentColor], ["Acme Sites", "#7a1fa2"]);
    assert.deepEqual(
      { ...body.logo, url: "" },
      { url: "", contentType: "image/png", width: 240, height: 60 },
    );
    const { text } = await visit();
    assert.ok(text.includes("<span>Acme Sites</span>"));
    assert.ok(!text.includes("The Installation") && !text.includes("cdn.acme.example"), "nothing is mixed");
    const file = new URL(body.logo.url).pathname.split("/").at(-1);
    assert.ok(text.includes(`src="./logo/${file}"`));
    assert.match(await styleOf(text), /--brand: #7a1fa2;\s+--on-brand: #ffffff;/);
    const [entry] = (
      await instance.admin.get("/v1/audit-entries?action=organization.branding-updated&order=desc")
    ).body.auditEntries;
    assert.equal(entry.resourceId, organizationId);
    assert.deepEqual(entry.details, {
      before: UNSET,
      after: { name: "Acme Sites", accentColor: "#7a1fa2", logo: file?.split(".")[0] },
    });
    const event = await until(async () => {
      const { events } = (await instance.admin.get("/v1/events?types=organization.branding_updated")).body;
      return events[0];
    }, "the event has its number");
    assert.deepEqual(event.data, { name: "Acme Sites", accentColor: "#7a1fa2", hasLogo: true });
  });

  it("changes only what is sent, and nothing for equal values", async () => {
    const before = (await instance.admin.get(PATH)).body;
    const count = async () =>
      (await instance.admin.get("/v1/audit-entries?action=organization.branding-updated")).body.auditEntries
        .length;
    const entries = await count();
    for (const same of [{}, { name: "Acme Sites" }, { accentColor: "#7A1fA2" }, { logo: LOGO_TEXT }])
      assert.deepEqual(await set(same), before);
    assert.equal(await count(), entries);
    assert.deepEqual((await set({ name: "Acme" })).logo, before.logo);
    const { headers } = await instance.admin.get(PATH);
    const stale = { "if-match": headers.get("etag") ?? "" };
    await set({ name: "Acme Sites" });
    assertRefused(await instance.admin.patch(PATH, { name: "Late" }, stale), 412, "PRECONDITION_FAILED");
  });

  it("serves a logo as an image that can do nothing else, until it is replaced", async () => {
    const { url } = (await instance.admin.get(PATH)).body.logo;
    const shown = await fetch(url);
    assert.equal(shown.status, 200);
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()), LOGO);
    assert.equal(shown.headers.get("content-type"), "image/png");
    assert.equal(shown.headers.get("x-content-type-options"), "nosniff");
    assert.match(shown.headers.get("content-security-policy") ?? "", /default-src 'none'.*sandbox/);
    const next = (await set({ logo: jpegOf(100, 50).toString("base64") })).logo.url;
    assert.notEqual(next, url);
    assert.equal((await visit(url)).status, 404);
    assert.equal((await fetch(next)).headers.get("content-type"), "image/jpeg");
    for (const wrong of [
      next.replace(".jpeg", ".png"),
      next.replace(/[0-9a-f]{64}/, "0".repeat(64)),
      `${next}/x`,
    ])
      assert.equal((await visit(wrong)).status, 404, wrong);
    assert.match((await visit()).headers.get("content-security-policy") ?? "", /img-src 'self' data:/);
  });

  it("gives two organizations with one logo two addresses, and neither sees the other's branding", async () => {
    const other = instance.other;
    assert.deepEqual((await other.get(PATH)).body.name, null);
    const mine = (await set({ logo: LOGO_TEXT })).logo.url;
    const theirs = (await other.patch(PATH, { logo: LOGO_TEXT })).body.logo.url;
    assert.notEqual(mine, theirs);
    await other.patch(PATH, { logo: null });
    assert.deepEqual([(await visit(mine)).status, (await visit(theirs)).status], [200, 404]);
  });

  it("makes text of hostile names, and refuses marks of direction, breaks and long names", async () => {
    const markup = `"><script>alert(1)</script>`;
    await set({ name: markup });
    const { text } = await visit();
    assert.ok(!text.includes("<script>alert"));
    assert.ok(text.includes("&lt;script&gt;"));
    for (const name of ["", " ", "a\u202eb", "a\u2066b", "a\nb", "a\u0007b", "x".repeat(61), 7, ["x"]])
      assertRefused(await instance.admin.patch(PATH, { name }), 400, "INVALID_REQUEST");
    for (const accentColor of ["", "red", "#fff", "#12345g", "#123456;}", "url(x)", "#1234567", 0])
      assertRefused(await instance.admin.patch(PATH, { accentColor }), 400, "INVALID_REQUEST");
    const style = await visit(new URL("/share/style.css?accent=fff%7D*%7Bdisplay:none", shareUrl).href);
    assert.match(style.text, /^:root \{\n {2}--brand: #0b6479;/);
    await set({ name: "Acme Sites" });
  });

  it("refuses logos that are not images, that are too large, or that grow when decoded", async () => {
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
    for (const [bytes, code] of [
      [svg, "NOT_AN_IMAGE"],
      [Buffer.from("<!doctype html><script>alert(1)</script>"), "NOT_AN_IMAGE"],
      [pngOf(50_000, 50_000), "LOGO_TOO_LARGE"],
      [animatedPng(), "LOGO_ANIMATED"],
    ] as const) {
      const answer = await instance.admin.patch(PATH, { logo: bytes.toString("base64") });
      assertRefused(answer, 400, "INVALID_REQUEST");
      assert.deepEqual([answer.body.errors[0].path, answer.body.errors[0].code], ["/logo", code]);
    }
    const tooLong = Buffer.concat([LOGO, Buffer.alloc(65_536)]).toString("base64");
    for (const logo of [tooLong, "", "%%%%", "data:image/png;base64,AAAA", { data: "AAAA" }])
      assertRefused(await instance.admin.patch(PATH, { logo }), 400, "INVALID_REQUEST");
  });

  it("shows an unknown link nothing of any organization", async () => {
    const unknown = await visit(`${new URL("/share/", shareUrl).href}${"x".repeat(27)}`);
    assert.equal(unknown.status, 404);
    assert.ok(unknown.text.includes("The Installation") && !unknown.text.includes("Acme Sites"));
  });

  it("returns to the installation's with null", async () => {
    const body = await set(UNSET);
    assert.deepEqual([body.name, body.accentColor, body.logo], [null, null, null]);
    assert.ok((await visit()).text.includes("<span>The Installation</span>"));
  });
});
