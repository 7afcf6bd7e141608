/** Slipway's own API and console, served by its edge under the public URL. */
import assert from "node:assert/strict";
import { request as requestHttps } from "node:https";
import { after, before, describe, it } from "node:test";
import { METRICS } from "../../src/start/metric-catalogue.ts";
import { OWN_SERVER_CODES } from "../../src/start/health/health.ts";
import { EDGE_HOSTNAME, type HostInstance, KEY, startHostInstance } from "../helpers/host/host-instance.ts";
import { succeed } from "../helpers/processes/operator-commands.ts";
import { until } from "../helpers/until.ts";

const NAME = `slipway.${EDGE_HOSTNAME}`;

describe("Slipway's own name on an own server", () => {
  let instance: HostInstance;
  before(async () => {
    instance = await startHostInstance({
      env: { SLIPWAY_PUBLIC_URL: `https://${NAME}`, SLIPWAY_TRUSTED_PROXIES: "127.0.0.1" },
    });
  });
  after(() => instance.stop());

  it("gets a certificate, and shows console and API by HTTPS", async () => {
    await until(
      () =>
        instance.get(NAME, "/healthz").then(
          ({ status }) => status === 200,
          () => false,
        ),
      "it is served",
      30_000,
    );
    assert.match((await instance.get(NAME, "/console/")).body, /<title>Slipway<\/title>/);
    const ca = await instance.pebble.rootPem();
    const me = await new Promise<{ status: number | undefined; cookies: unknown }>((resolve, reject) => {
      const sent = requestHttps({
        host: "127.0.0.1",
        port: instance.ports.https,
        servername: NAME,
        ca,
        method: "POST",
        path: "/v1/sessions",
        headers: {
          host: NAME,
          origin: `https://${NAME}`,
          "content-type": "application/json",
          authorization: `Bearer ${KEY}`,
        },
      });
      sent.on("response", (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode, cookies: answer.headers["set-cookie"] });
      });
      sent.on("error", reject).end("{}");
    });
    assert.equal(me.status, 201);
  });

  it("is in the state of the server, which the operator sees", async () => {
    const { status, body, text } = await instance.api.get("/v1/admin/own-server");
    assert.equal(status, 200, text);
    const { edges, certificates, challengeZone } = body.server;
    assert.deepEqual(
      edges.map(({ id, state, unreachable }: Record<string, unknown>) => [id, state, unreachable]),
      [["main", "CURRENT", []]],
    );
    assert.equal(challengeZone.problem, null);
    const [{ name, organizationId, problem }] = certificates.first;
    assert.deepEqual([name, organizationId, problem], [NAME, null, null]);
  });

  it("has a health with the checks of an own server", async () => {
    const { body, text } = await instance.api.get("/v1/admin/health");
    const of = (status: string): readonly string[] =>
      body.checks.flatMap((one: { code: string; status: string }) =>
        one.status === status ? [one.code] : [],
      );
    assert.deepEqual([of("failed"), of("warning"), of("skipped")], [[], ["BACKUP"], []], text);
    for (const code of OWN_SERVER_CODES) assert.ok(of("ok").includes(code), code);
    assert.doesNotMatch(text, new RegExp(NAME));
  });

  it("is checked by slipway doctor beside the service, also without a key", async () => {
    const { SLIPWAY_API_KEY: _key, ...env } = instance.env;
    const { checks } = JSON.parse(await succeed(env, "doctor", "--json")) as {
      checks: { code: string; status: string }[];
    };
    const skipped = checks.filter(({ status }) => status === "skipped").map(({ code }) => code);
    assert.ok(skipped.includes("DATABASE"), "the service has the embedded database");
    for (const code of ["CERTIFICATES", ...OWN_SERVER_CODES])
      assert.equal(checks.find((one) => one.code === code)?.status, "ok", code);
  });

  it("has metrics of its edges, certificates and CAs, without names", async () => {
    const text = await (await fetch(`${instance.url}/metrics`)).text();
    const valueOf = (figure: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${figure} `))
          ?.slice(figure.length + 1),
      );
    assert.equal(valueOf(`${METRICS.edges.name}{state="current"}`), 1);
    assert.equal(valueOf(`${METRICS.edges.name}{state="silent"}`), 0);
    assert.equal(valueOf(`${METRICS.certificateOrders.name}{waits_for="operator"}`), 0);
    assert.equal(valueOf(`${METRICS.caFailures.name}{ca="first"}`), 0);
    assert.ok(valueOf(METRICS.certificateLifeLeft.name) > 0.9);
    assert.doesNotMatch(text, new RegExp(NAME));
  });

  it("is refused as a customer's domain", async () => {
    const serviceId = await instance.createService("shop", "localhost:1");
    const { body } = await instance.api.post(`/v1/services/${serviceId}/domain-certificate-groups`, {
      domains: [NAME],
      useDefaultCdn: false,
    });
    const { id } = body.createdDomains[0];
    const domain = await until(async () => {
      const read = await instance.api.get(`/v1/domains/${id}`);
      return read.body.status === "ERROR_ATTACHING" && read.body;
    }, "it is refused");
    assert.match(domain.lastAttachmentError.code, /^Cloud:/);
  });
});
