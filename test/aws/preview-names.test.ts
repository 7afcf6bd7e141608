/**
 * Previews below one wildcard domain in an account: one certificate, one distribution, one load balancer. Requests go
 * through the function that Slipway wrote, which chooses among the distribution's origins; the emulators run none.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { visitPreview } from "../../src/cloud/aws/domains/testing-preview-function.ts";
import { routesKeyOf } from "../../src/cloud/routing.ts";
import { until } from "../helpers/until.ts";
import { type Deaths, watchDeaths } from "./deaths.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { seeMoto } from "./emulator/see-moto.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { startAccount } from "./platform-world.ts";
import { patient, type Project, startSlipway } from "./slipway.ts";
import { type Seen, throughEdge } from "./traffic.ts";
import { work } from "./world.ts";

const DOMAIN = "preview.shop.example.com";
/** Of one step, with all its deaths, on a busy machine. */
const STEP_MS = 600_000;
const COMMIT = "1".repeat(40);

type Preview = {
  readonly id: string;
  readonly key: string;
  readonly environmentId: string | null;
  readonly deployedCommitHash: string | null;
};
type Service = { readonly id: string; readonly configId: string; readonly cdnDomainName: string | null };

describe("previews below a domain on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const services = [
    { id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000 },
    { id: "site", name: "Site", type: "static", outputDirectory: "public", singlePageApp: true },
  ];
  let emulator: Emulator;
  let slipway: Awaited<ReturnType<typeof startSlipway>>;
  let deaths: Deaths;
  let project: Project;
  let look: (accountId: string) => Promise<Seen>;
  let secret: string;
  /** Hosts that answer, and must from now on. */
  const live = new Set<string>();
  const failures: string[] = [];

  before(async () => {
    emulator = await startEmulator({ motoUrl: MOTO_URL ?? "", seed: 31 });
    slipway = await startSlipway(emulator);
    deaths = watchDeaths(emulator, slipway, burst);
    const source = { pr: true, previews: { domain: DOMAIN } };
    project = await slipway.createProject("named", services, source);
    look = await seeMoto(emulator, {
      motoUrl: MOTO_URL ?? "",
      roleArn: project.roleArn,
      region: "us-west-2",
    });
    emulator.platform.builds.setProgram(COMMIT, { program: "web", word: "a preview" });
    slipway.setHead(COMMIT);
  });
  after(async () => {
    live.clear();
    await deaths.end();
    await slipway.stop();
    await emulator.stop();
  });

  const api = () => patient(slipway.api);
  const shared = () => {
    const found = emulator
      .distributions(project.accountId)
      .filter(({ aliases }) => aliases.includes(`*.${DOMAIN}`));
    assert.equal(found.length, 1, "previews share one distribution");
    return found[0] ?? assert.fail();
  };

  /** @returns the service that answers, or the status of the function's answer */
  async function visit(host: string, headers: Readonly<Record<string, string>>): Promise<string | number> {
    const { functionArn, origins } = shared();
    const name = functionArn?.slice(functionArn.indexOf("/") + 1);
    const code = emulator.functions().find((one) => one.name === name)?.code;
    assert.ok(code !== undefined, `the function ${name} is there`);
    const { answer, origin, sent } = visitPreview(code, { host, uri: "/cart", headers });
    if (answer !== null) return answer.statusCode;
    const edge = origins.find(({ serviceId }) => `slipway-${serviceId}` === origin?.id);
    assert.ok(edge !== undefined, `the origin ${origin?.id} is there`);
    if (edge.vpcOriginId !== null) {
      assert.equal(origin?.hostHeader, host, "the program sees the visitor's host");
      const reached = throughEdge(await look(project.accountId), edge);
      return "failure" in reached ? reached.failure : reached.serviceId;
    }
    assert.match(edge.host, /[.]s3[.]us-west-2[.]/);
    assert.equal(sent.uri, "/cart.html");
    return edge.serviceId;
  }

  const pass = () => ({ "x-slipway-bypass": secret });

  async function burst(): Promise<void> {
    for (const host of live) {
      const answer = await visit(host, pass()).catch(String);
      if (typeof answer !== "string" || !answer.startsWith("svc_")) failures.push(`${host}: ${answer}`);
    }
  }

  const list = async (): Promise<readonly Preview[]> =>
    (await api().get(`/v1/previews?projectId=${project.projectId}`)).body.previews;
  async function open(key: string): Promise<void> {
    const path = `/v1/projects/${project.projectId}/previews/${key}`;
    const { status, text } = await until(
      () => slipway.api.put(path, { branch: "main", commit: COMMIT }).catch(() => null),
      "the service answers",
      STEP_MS,
    );
    assert.ok(status < 300, text);
  }
  async function servicesOf(key: string): Promise<readonly Service[]> {
    const environmentId = (await list()).find((one) => one.key === key)?.environmentId ?? null;
    if (environmentId === null) return [];
    return (await api().get(`/v1/environments/${environmentId}/services`)).body.services ?? [];
  }
  async function explain(error: unknown): Promise<never> {
    const seen = { previews: await list(), stacks: emulator.platform.stacks.names, failures };
    const log = slipway
      .log()
      .split("\n")
      .filter((line) => !line.includes('"Served"'));
    throw new Error(`${JSON.stringify(seen)}\n${log.slice(-30).join("\n")}`, { cause: error });
  }
  async function untilServed(key: string): Promise<readonly Service[]> {
    return await until(
      async () => {
        const found = await servicesOf(key);
        if (found.length < services.length) return null;
        for (const { id, configId } of found)
          if ((await visit(`${configId}-${key}.${DOMAIN}`, pass())) !== id) return null;
        return found;
      },
      `${key} is served`,
      STEP_MS,
    ).catch(explain);
  }

  test("the domain waits for its records, and has one distribution, which answers nothing without a pass", async () => {
    const domain = await until(
      async () => {
        const path = `/v1/projects/${project.projectId}/preview-domains`;
        const [one] = (await api().get(path)).body.previewDomains;
        if (one?.domainId === undefined || one.domainId === null) return null;
        const { body } = await api().get(`/v1/domains/${one.domainId}`);
        for (const record of body.dnsRecords ?? []) slipway.setDnsRecord(record);
        return body.status === "ATTACHED" && body;
      },
      "the domain is attached",
      STEP_MS,
    );
    assert.equal(domain.name, `*.${DOMAIN}`);
    const bypass = await api().post(`/v1/environments/${project.environmentId}/preview-bypass`);
    secret = bypass.body.secret;
    await until(async () => (await visit(`x.${DOMAIN}`, pass())) === 404, "the secret is known", STEP_MS);
    assert.equal(await visit(`x.${DOMAIN}`, {}), 401);
  });

  test("previews have names there, although the service is killed at each change of CloudFront", async () => {
    const effects = [
      "cloudfront:CreateFunction",
      "cloudfront:PublishFunction",
      "cloudfront:UpdateDistribution",
    ] as const;
    await deaths.dyingAt({ effects, reads: [] }, async () => {
      for (const key of ["one", "two"]) await open(key);
      for (const key of ["one", "two"])
        for (const { configId, cdnDomainName } of await untilServed(key)) {
          assert.equal(cdnDomainName, `${configId}-${key}.${DOMAIN}`);
          assert.equal(await visit(cdnDomainName, {}), 401);
          live.add(cdnDomainName);
        }
    });
    const types = emulator.platform.stacks.typesOf(project.accountId);
    assert.equal(types.filter((type) => type.endsWith("V2::LoadBalancer")).length, 1);
    assert.equal(emulator.distributions(project.accountId).length, 1);
    const certificates = emulator.calls.filter(({ api: called }) => called === "acm:RequestCertificate");
    assert.ok(certificates.length <= 2, "one certificate, whose answer may have been lost");
    await until(
      async () => (await list()).every(({ deployedCommitHash }) => deployedCommitHash === COMMIT),
      "both are live",
      STEP_MS,
    ).catch(explain);
  });

  test("an invalidation for a service is one of the distribution that previews share", async () => {
    const [service] = await servicesOf("one");
    const path = `/v1/services/${service?.id}/cloudfront/invalidation`;
    const { body } = await api().post(path, { paths: ["/*"] });
    await until(
      async () =>
        (await api().get(`/v1/cloudfront/invalidation/${body.invalidationId}`)).body.status === "COMPLETED",
      "it ends",
      STEP_MS,
    );
    // Only what was created is looked at.
    assert.ok(emulator.calls.some(({ api: called }) => called === "cloudfront:GetInvalidation"));
  });

  test("a removed preview loses its route before its service, and the others answer all the time", async () => {
    const gone = await servicesOf("one");
    const hosts = gone.map(({ cdnDomainName }) => cdnDomainName ?? "");
    for (const host of hosts) live.delete(host);
    const atDeletion: (string | number)[] = [];
    emulator.watch(async (called, moment) => {
      if (moment === "after") return burst();
      if (called !== "cloudformation:DeleteStack") return;
      for (const host of hosts) atDeletion.push(await visit(host, pass()));
    });
    const { id } = (await list()).find(({ key }) => key === "one") ?? assert.fail();
    assert.ok((await api().delete(`/v1/previews/${id}`)).status < 300);
    await until(
      async () =>
        emulator.platform.stacks.names.filter((name) => name.startsWith("slipway-svc-")).length === 2,
      "its services are removed",
      STEP_MS,
    ).catch(explain);
    assert.ok(atDeletion.length > 0);
    for (const status of atDeletion) assert.ok(status === 404 || status === 503, String(status));
    for (const host of hosts) assert.equal(await visit(host, pass()), 404);

    await open("three");
    for (const { cdnDomainName } of await untilServed("three")) live.add(cdnDomainName ?? "");
    const ids = shared().origins.map(({ serviceId }) => serviceId);
    const left = [...(await servicesOf("two")), ...(await servicesOf("three"))].map((one) => one.id);
    assert.deepEqual(ids.toSorted(), left.toSorted(), "the distribution has forgotten its origins");
    assert.deepEqual(failures, []);
    const functions = emulator.functions().filter(({ name }) => !name.startsWith("slipway-svc"));
    assert.ok(functions.length <= 3, functions.map(({ name }) => name).join());
  });
});

describe("routes of previews", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  test("are refused if the distribution cannot have an origin for each, and leave nothing when it is deleted", async () => {
    const { emulator, account, open } = await startAccount(20_000);
    const { distributions } = open().cloud;
    const routes = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`d-${n}`, { hostname: "docs.example.com" }]),
      );
    const origin = { kind: "previews", environmentId: "env_1" } as const;
    const { id } = await work(() => distributions.create(account, { token: "t", origin }));
    const send = (count: number) =>
      work(async () => {
        const { etag } = (await distributions.describe(account, id)) ?? assert.fail();
        const update = { aliases: [], certificateId: null, enabled: true, routes: routes(count), etag };
        return await distributions.update(account, id, update);
      });
    await assert.rejects(send(100), { kind: "limit", code: "TOO_MANY_ROUTES" });
    assert.equal((await send(99)).routesKey, routesKeyOf(routes(99)));
    assert.ok(emulator.functions().length > 0);
    await work(async () => {
      const { etag } = (await distributions.describe(account, id)) ?? assert.fail();
      await distributions.update(account, id, { aliases: [], certificateId: null, enabled: false, etag });
    });
    const deleted = async () => {
      const { etag } = (await distributions.describe(account, id)) ?? assert.fail();
      return (await distributions.delete(account, id, etag)) === "deleted";
    };
    await until(deleted, "the distribution is deleted", STEP_MS);
    await work(() => distributions.forgetRedirects(account, id));
    assert.deepEqual(emulator.functions(), []);
    await emulator.stop();
  });
});
