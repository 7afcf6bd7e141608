/** The way of a visitor with a share link to the domain's DNS provider, and back (Domain Connect). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { answerConsent, becomeKnown, CONNECT_ENV, delegateZone } from "../helpers/customers/dns-provider.ts";
import { createGroup, createProject, type Project, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const ZONE = "visited.com";

describe("a visitor of a share link, at a DNS provider that sets records", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance({ env: CONNECT_ENV });
    project = await createProject(instance.admin, "visited");
    await becomeKnown(instance.admin);
    await delegateZone(instance.admin, ZONE);
  });
  after(() => instance.dispose());

  async function share(name: string) {
    const group = await createGroup(instance.admin, project.services["web"], [name]);
    const links = `/v1/domain-certificate-groups/${group.id}/share-links`;
    const { body } = await instance.admin.post(links, {});
    const domainId = group.createdDomains[0].id as string;
    return { url: body.url as string, domainId, linkPath: `${links}/${body.id}` };
  }
  async function untilOffered(url: string, domainId: string): Promise<void> {
    await until(async () => {
      const { body } = await instance.admin.get(`/v1/domains/${domainId}`);
      return body.dnsRecords.length > 0 && body.dnsProvider?.supports.domainConnect === true;
    }, "the provider is offered");
    assert.ok((await (await fetch(url)).text()).includes("Set the records at Sandbox DNS"));
  }
  const connect = (url: string, domain: string) =>
    fetch(`${url}/connect`, { method: "POST", redirect: "manual", body: new URLSearchParams({ domain }) });
  /** Presses the button on the page. @returns what the browser has then */
  async function begin(url: string, domain: string) {
    const answer = await connect(url, domain);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const href = /class="button" href="(?<href>[^"]+)"/.exec(text)?.groups?.["href"] ?? assert.fail(text);
    return { applyUrl: href.replaceAll("&amp;", "&"), cookie };
  }

  it("agrees there, and comes back to the page, and no other site gets the address of the page", async () => {
    const name = `www.${ZONE}`;
    const { url, domainId } = await share(name);
    await untilOffered(url, domainId);
    const { applyUrl, cookie } = await begin(url, name);
    const token = url.slice(url.lastIndexOf("/") + 1);
    assert.ok(!applyUrl.includes(token));
    const back = await answerConsent(applyUrl, "yes");
    assert.ok(!back.href.includes(token));
    const stranger = await fetch(back, { redirect: "manual" });
    assert.equal(stranger.status, 404);
    const returned = await fetch(back, { redirect: "manual", headers: { cookie } });
    assert.equal(returned.status, 303, await returned.text());
    assert.equal(new URL(returned.headers.get("location") ?? "", back).href, `${url}?asked=1`);
    await untilDomain(instance.admin, domainId, "ATTACHED");
    const { body } = await instance.admin.get(`/v1/audit-entries?resourceId=${domainId}`);
    const actions = body.auditEntries.map(({ action }: { action: string }) => action);
    for (const action of ["domain.connect-started", "domain.connect-returned"])
      assert.equal(actions.filter((one: string) => one === action).length, 1, action);
    await until(async () => {
      const { dnsRecords } = (await instance.admin.get(`/v1/domains/${domainId}`)).body;
      return dnsRecords.length === 2 && dnsRecords.every(({ status }: { status: string }) => status === "OK");
    }, "both records are there");
    assert.ok(!(await (await fetch(url)).text()).includes("Set the records at"));
  });

  it("begins no way for a domain of another group, and none by a revoked link", async () => {
    const [own, other] = [await share(`own.${ZONE}`), await share(`other.${ZONE}`)];
    await untilOffered(own.url, own.domainId);
    await untilOffered(other.url, other.domainId);
    for (const domain of [`other.${ZONE}`, "unknown.example.com", ""]) {
      const refused = await connect(own.url, domain);
      assert.equal(refused.status, 409, domain);
      assert.equal(refused.headers.get("set-cookie"), null);
    }
    const { applyUrl, cookie } = await begin(own.url, `own.${ZONE}`);
    await instance.admin.delete(own.linkPath);
    const back = await answerConsent(applyUrl, "no");
    assert.equal((await fetch(back, { redirect: "manual", headers: { cookie } })).status, 404);
    assert.equal((await connect(own.url, `own.${ZONE}`)).status, 404);
  });
});
