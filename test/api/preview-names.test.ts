/** Previews below one wildcard domain: one certificate, one distribution, and a name for each service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type PreviewTeam, startPreviewTeam } from "../helpers/customers/previews.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import {
  connectAccount,
  integrateGit,
  proveDomain,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const DOMAIN = "preview.shop.example.com";
const PATIENCE_MS = 90_000;
const region = "us-west-2";

const SITE = {
  id: "site",
  type: "static",
  outputDirectory: "public",
  buildCommand: `printf "%s %s" "$SLIPWAY_URL" "$API" > public/url.txt`,
  envVariables: { API: { fromService: { id: "API_v2", value: "url" } } },
};
const API = {
  id: "API_v2",
  type: "web",
  startCommand: "node server.js",
  port: 3000,
};
const PRIVATE = { ...API, id: "inner", type: "web-private" };
const SERVER = `require("node:http").createServer((_, response) => response.end("I am " + process.env.SLIPWAY_URL))
  .listen(process.env.PORT, "127.0.0.1");`;
/** Without the other service. */
const ALONE = { ...SITE, buildCommand: undefined, envVariables: undefined };

const templateOf = (
  domain: string | null,
  services: readonly object[] = [SITE, API, PRIVATE],
  access: "protected" | "public" = "public",
) => ({
  id: "preview",
  region,
  source: {
    branch: "main",
    pr: true,
    previews: { max: 50, access, ...(domain === null ? {} : { domain }) },
  },
  services,
});
const written = (template: object | null) => [
  { id: "production", region, source: { branch: "main" }, services: [ALONE] },
  ...(template === null ? [] : [template]),
];

type Service = { readonly id: string; readonly configId: string; readonly cdnDomainName: string | null };

describe("previews below a domain", () => {
  let instance: Instance;
  let awsAccountId: string;
  let team: PreviewTeam;
  before(async () => {
    instance = await startInstance();
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    const files = { "server.js": SERVER };
    team = await startPreviewTeam(instance, "shop", written(templateOf(DOMAIN)), { files });
  });
  after(() => instance.dispose());

  const untilServices = (key: string, count: number): Promise<readonly Service[]> =>
    until(
      async () => {
        const environmentId = (await team.find(key))?.environmentId ?? null;
        if (environmentId === null) return null;
        const { body } = await instance.admin.get(`/v1/environments/${environmentId}/services`);
        const services: readonly Service[] = body.services ?? [];
        // A private service has no name.
        const hidden = services.filter(({ configId }) => configId === PRIVATE.id);
        assert.ok(hidden.every(({ cdnDomainName }) => cdnDomainName === null));
        const named = services.filter((one) => !hidden.includes(one));
        return named.length === count ? named : null;
      },
      `${key} has ${count} services`,
      PATIENCE_MS,
    );
  const untilServed = (host: string, text: string, at = "/", patienceMs = PATIENCE_MS) =>
    until(
      async () => {
        const { status, body } = await getFromEdge(instance.sandbox, host, { path: at });
        return status === 200 && body.includes(text) ? body : null;
      },
      `${host}${at} shows ${text}`,
      patienceMs,
    );
  const domains = async () =>
    (await instance.admin.get(`/v1/projects/${team.projectId}/preview-domains`)).body.previewDomains;
  const untilDomainOf = (is: (one: Record<string, string | null>) => boolean, what: string) =>
    until(
      async () => {
        const [one] = await domains();
        return one !== undefined && is(one) ? one : null;
      },
      what,
      PATIENCE_MS,
    );
  const account = () => stateOf(instance.admin, awsAccountId);
  const hostsOf = (services: readonly Service[]) =>
    services.map((one) => one.cdnDomainName ?? "").toSorted((a, b) => a.localeCompare(b));

  it("have their names at once, and say who must set the records", async () => {
    await team.commit("cart", "cart");
    await team.putPullRequest(1, "cart");
    const services = await untilServices("pr-1", 2);
    assert.deepEqual(hostsOf(services), [`api-v2-pr-1.${DOMAIN}`, `site-pr-1.${DOMAIN}`]);
    const waiting = await untilDomainOf(
      ({ status }) => status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
      "the records are known",
    );
    assert.deepEqual(
      [waiting.templateId, waiting.domain, waiting.waitsFor],
      [team.environments["preview"], DOMAIN, "user"],
    );
    assert.match(waiting.reason, new RegExp(`^Set the DNS records of \\*\\.${DOMAIN}\\.`));
  });

  it("are served with one certificate by one distribution as soon as the records are set", async () => {
    const [{ domainId }] = await domains();
    await proveDomain(instance.admin, domainId);
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, domainId, "ATTACHED"));
    const [shown] = await domains();
    assert.deepEqual([shown.waitsFor, shown.reason], [null, null]);
    await untilServed(`site-pr-1.${DOMAIN}`, "cart");
    // The first build and release knew the addresses.
    const urls = `https://site-pr-1.${DOMAIN} https://api-v2-pr-1.${DOMAIN}`;
    await untilServed(`site-pr-1.${DOMAIN}`, urls, "/url.txt");
    await untilServed(`api-v2-pr-1.${DOMAIN}`, `I am https://api-v2-pr-1.${DOMAIN}`);
    await team.commit("coupons", "coupons");
    await team.putPullRequest(2, "coupons");
    await untilServed(`site-pr-2.${DOMAIN}`, "coupons");
    await untilServed(`api-v2-pr-2.${DOMAIN}`, `https://api-v2-pr-2.${DOMAIN}`);
    const { certificates, distributions } = await account();
    assert.deepEqual(
      certificates.map(({ names }: { names: readonly string[] }) => names),
      [[`*.${DOMAIN}`]],
    );
    assert.deepEqual(
      distributions.map(({ origin }: { origin: { kind: string } }) => origin.kind).toSorted(),
      ["previews", "repository"],
    );
  });

  it("answer 404 for a name without a preview, and 503 before their first release", async () => {
    for (const label of ["site-pr-99", "preview", "x"]) {
      const { status, body } = await getFromEdge(instance.sandbox, `${label}.${DOMAIN}`);
      assert.equal(status, 404);
      assert.match(body, /There is no preview at this address/);
    }
    const broken = templateOf(DOMAIN, [{ ...ALONE, buildCommand: "false" }]);
    await team.commit("broken", "broken", written(broken));
    await team.putPullRequest(3, "broken");
    assert.deepEqual(hostsOf(await untilServices("pr-3", 1)), [`site-pr-3.${DOMAIN}`]);
    const answer = await until(async () => {
      const one = await getFromEdge(instance.sandbox, `site-pr-3.${DOMAIN}`);
      return one.status === 404 ? null : one;
    }, "it has a route");
    assert.deepEqual([answer.status, answer.headers["content-type"]], [503, "text/plain; charset=utf-8"]);
    assert.match(answer.body, /Nothing has been released here yet/);
    await team.putPullRequest(3, "broken", { state: "closed" });
    await until(
      async () => (await getFromEdge(instance.sandbox, `site-pr-3.${DOMAIN}`)).status === 404,
      "its route is removed",
      PATIENCE_MS,
    );
  });

  it("count the requests of each service apart", async () => {
    const requestsOf = async (key: string) => {
      const [site] = (await untilServices(key, 2)).filter(({ configId }) => configId === "site");
      const { body } = await instance.admin.get(`/v1/services/${site?.id}/traffic`);
      return body.points.reduce((sum: number, one: { requests: number }) => sum + one.requests, 0);
    };
    const before = [await requestsOf("pr-1"), await requestsOf("pr-2")] as const;
    for (let i = 0; i < 5; i += 1) await getFromEdge(instance.sandbox, `site-pr-2.${DOMAIN}`);
    await until(async () => (await requestsOf("pr-2")) === before[1] + 5, "five requests are counted");
    assert.equal(await requestsOf("pr-1"), before[0]);
  });

  it("take no other domains, and their names cannot be deployed", async () => {
    const [{ serviceId, domainCertificateGroupId }] = await domains();
    const [site] = await untilServices("pr-1", 2);
    const groups = (id: string | undefined) => `/v1/services/${id}/domain-certificate-groups`;
    for (const refused of [
      await instance.admin.post(groups(serviceId), { domains: ["www.shop.example.com"] }),
      await instance.admin.post(groups(site?.id), { domains: ["www.shop.example.com"] }),
      await instance.admin.post(`/v1/domain-certificate-groups/${domainCertificateGroupId}/domains`, {
        domains: ["www.shop.example.com"],
      }),
    ])
      assert.deepEqual([refused.status, refused.body.code], [422, "SERVICE_TAKES_NO_DOMAINS"], refused.text);
    const { body: gateway } = await instance.admin.get(`/v1/services/${serviceId}`);
    const deployed = await instance.admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/shop.git",
      filter: { environmentId: gateway.environmentId },
    });
    assert.equal(deployed.status, 400, deployed.text);
  });

  it("are protected as their template says, whatever the label, and opened by users who see the project", async () => {
    const hosts = [`site-pr-1.${DOMAIN}`, `site-pr-2.${DOMAIN}`, `nothing.${DOMAIN}`];
    const statuses = () =>
      Promise.all(hosts.map(async (host) => (await getFromEdge(instance.sandbox, host)).status));
    const { headers } = await getFromEdge(instance.sandbox, hosts[0] ?? "");
    assert.equal(headers["x-robots-tag"], "noindex");
    await team.commit("main", "protected", written(templateOf(DOMAIN, undefined, "protected")));
    await team.putPullRequest(1, "cart", { title: "Protected" });
    await until(async () => String(await statuses()) === "401,401,401", "they are protected", PATIENCE_MS);
    const state = "a".repeat(22);
    const entryOf = (host = "") =>
      instance.admin.get(
        `/v1/previews/entry?${new URLSearchParams({ url: `https://${host}/`, state }).toString()}`,
      );
    const { url } = (await entryOf(hosts[0])).body;
    const cookie = `__Host-slipway-preview-state=${state}`;
    const enter = async (host = "") =>
      (
        await getFromEdge(instance.sandbox, host, {
          path: url.slice(url.indexOf("/.well-known")),
          headers: { cookie },
        })
      ).status;
    assert.deepEqual([await enter(hosts[1]), await enter(hosts[0])], [401, 302], "a ticket is for one host");
    await team.commit("main", "public", written(templateOf(DOMAIN)));
    await team.putPullRequest(1, "cart", { title: "Public" });
    await until(async () => String(await statuses()) === "200,200,404", "they are public", PATIENCE_MS);
  });

  it("move to another domain when it is served, and the former one goes", async () => {
    const other = "pr.shop.example.com";
    await team.commit("main", "moved", written(templateOf(other)));
    await team.putPullRequest(1, "cart", { title: "Look again" });
    const { domainId } = await untilDomainOf(
      (one) => one["domain"] === other && one["domainId"] !== null,
      other,
    );
    await untilDomain(instance.admin, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    await untilServed(`site-pr-1.${DOMAIN}`, "cart");
    await proveDomain(instance.admin, domainId);
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, domainId, "ATTACHED"));
    await untilServed(`site-pr-1.${other}`, `https://site-pr-1.${other}`, "/url.txt");
    await untilServed(`api-v2-pr-2.${other}`, `I am https://api-v2-pr-2.${other}`);
    await until(
      async () => {
        const { certificates, distributions } = await account();
        const aliases = distributions.flatMap((one: { aliases: readonly string[] }) => one.aliases);
        return aliases.join() === `*.${other}` && certificates.length === 1 && distributions.length === 2;
      },
      "only the new domain is left",
      PATIENCE_MS,
    );
  });

  it("get distributions of their own when the domain is removed", async () => {
    await team.commit("main", "without", written(templateOf(null)));
    await team.putPullRequest(1, "cart", { title: "Look once more" });
    const own = await until(
      async () => {
        const hosts = hostsOf([...(await untilServices("pr-1", 2)), ...(await untilServices("pr-2", 2))]);
        return hosts.every((host) => host.endsWith(".cdn.sandbox.test")) ? hosts : null;
      },
      "they have hosts of their own",
      PATIENCE_MS,
    );
    assert.equal(new Set(own).size, 4);
    const [site] = (await untilServices("pr-1", 2)).filter(({ configId }) => configId === "site");
    const host = site?.cdnDomainName ?? "";
    await untilServed(host, `https://${host}`, "/url.txt");
    await until(
      async () => {
        const { certificates, distributions } = await account();
        return certificates.length === 0 && distributions.length === 5;
      },
      "certificate and shared distribution are removed",
      PATIENCE_MS,
    );
    assert.deepEqual(await domains(), []);
    assert.equal(await countEnvironments(), 4);
  });

  it("move below a domain that is added later, and say where a taken one is", async () => {
    const owner = await instance.admin.get(`/v1/projects/${team.projectId}/services`);
    const production = owner.body.services.find(
      (one: { environmentId: string; configId: string; cdnDomainName: string }) => one.configId === "site",
    );
    const path_ = `/v1/services/${production.id}/domain-certificate-groups`;
    const made = await instance.admin.post(path_, { domains: [`*.${DOMAIN}`], useDefaultCdn: false });
    assert.equal(made.status, 201, made.text);
    await team.commit("main", "again", written(templateOf(DOMAIN)));
    await team.putPullRequest(1, "cart", { title: "Look again and again" });
    const taken = await untilDomainOf(
      ({ reason }) => reason?.includes("is in another domain certificate group") === true,
      "the domain is taken",
    );
    assert.deepEqual([taken.waitsFor, taken.status], ["user", null]);
    assert.ok(taken.reason.includes(made.body.id));
    assert.equal(
      (await instance.admin.delete(`/v1/domain-certificate-groups/${made.body.id}`)).status < 300,
      true,
    );
    await team.putPullRequest(1, "cart", { title: "Look again, it is free" });
    const { domainId } = await untilDomainOf((one) => one["domainId"] !== null, "it is added");
    // Its records are still set.
    await untilDomain(instance.admin, domainId, "ATTACHED");
    await untilServed(`site-pr-1.${DOMAIN}`, `https://site-pr-1.${DOMAIN}`, "/url.txt");
    await until(
      async () => (await account()).distributions.length === 2,
      "their own distributions are removed",
      PATIENCE_MS,
    );
  });

  it("go with their template", async () => {
    await team.commit("main", "no template", written(null));
    await team.putPullRequest(1, "cart", { title: "The last look" });
    await until(
      async () => {
        const { certificates, distributions } = await account();
        return certificates.length === 0 && distributions.length === 1;
      },
      "only production is left",
      200_000,
    );
    // The environment itself stays until a deployment removes it.
    await until(async () => (await countEnvironments()) === 2, "those of its previews are deleted", 200_000);
  });

  const countEnvironments = async (): Promise<number> =>
    (await instance.admin.get(`/v1/projects/${team.projectId}/environments?limit=100`)).body.environments
      .length;
});
