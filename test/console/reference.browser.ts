/** The reference at `/docs`, as a reader sees it. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Locator } from "playwright-core";
import { type Browser, openBrowser } from "../helpers/processes/browser.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

describe("the reference in a browser", () => {
  let instance: Instance;
  let browser: Browser;

  before(async () => {
    instance = await startInstance();
    browser = await openBrowser({ width: 1500 });
  });
  after(async () => {
    await browser.dispose();
    await instance.dispose();
  });
  afterEach(() => browser.assertSound());

  /** An operation's part of the page, and the request in it that a reader copies. */
  async function show(
    tag: string,
    method: string,
    path: string,
  ): Promise<{ section: Locator; sample: string }> {
    const { page } = browser;
    await page.goto("about:blank");
    await page.goto(`${instance.url}/docs#tag/${tag}/${method}${path}`);
    const section = page.locator(`section[id$="tag/${tag}/${method}${path}"]`);
    const sample = section.locator(".scalar-code-block", { hasText: "curl" }).first();
    await sample.waitFor();
    return { section, sample: await sample.innerText() };
  }

  it("D7: a write's sample has its body, its id in the path, and an Idempotency-Key", async () => {
    const { section, sample } = await show(
      "custom-domains",
      "POST",
      "/v1/services/{serviceId}/domain-certificate-groups",
    );
    assert.match(sample, /\/v1\/services\/svc_[0-9a-z]{26}\/domain-certificate-groups/);
    assert.match(sample, /Idempotency-Key: \S+/);
    assert.match(sample, /"domains": \[\s+"www\.example\.com"\s+\]/);
    await section.getByText("CreateDomainCertificateGroupRequest").first().waitFor();
  });

  it("D7: a read's sample sends nothing else, and its answer has an example", async () => {
    const { section, sample } = await show("custom-domains", "GET", "/v1/domains/{domainId}");
    assert.match(sample, /\/v1\/domains\/dom_[0-9a-z]{26}/);
    assert.doesNotMatch(sample, /Prefer|If-None-Match/);
    await section.getByText('"lastAttachmentError"').first().waitFor();
  });
});
