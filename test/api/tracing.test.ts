/** OpenTelemetry: one trace from a request to the domain that it asked for, as a collector gets it. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createGroup,
  createProject,
  type Project,
  proveDomain,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { startCommand } from "../helpers/processes/service-process.ts";
import {
  type ReceivedSpan,
  startTraceReceiver,
  type TraceReceiver,
} from "../helpers/processes/trace-receiver.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const CREATE_GROUP = "POST /v1/services/:serviceId/domain-certificate-groups";
const TRUSTED = { SLIPWAY_TRUSTED_PROXIES: "127.0.0.1" };

const attribute = (span: ReceivedSpan, key: string): string | number | undefined => {
  const found = span.attributes.find((one) => one.key === key)?.value;
  return found?.stringValue ?? found?.intValue;
};

describe("tracing", () => {
  let receiver: TraceReceiver;
  let instance: Instance;
  let project: Project;
  before(async () => {
    receiver = await startTraceReceiver();
    instance = await startInstance({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: "1", ...TRUSTED },
    });
    project = await createProject(instance.admin, "Traced");
  });
  after(async () => {
    await instance.dispose();
    await receiver.stop();
  });

  const ofTrace = (traceId: string): readonly ReceivedSpan[] =>
    receiver.spans().filter((span) => span.traceId === traceId);
  const rootsOf = (name: string): readonly ReceivedSpan[] =>
    receiver.spans().filter((span) => span.name === name);

  it("has the request, its statements, the queue and the calls to the cloud in one trace", async () => {
    const group = await createGroup(instance.admin, project.services["web"], ["www.traced.example.com"]);
    const domainId = group.createdDomains[0].id;
    await proveDomain(instance.admin, domainId);
    await untilDomain(instance.admin, domainId, "ATTACHED");
    const root = await until(() => rootsOf(CREATE_GROUP)[0], "the request's span arrives");
    const wanted = [
      "transaction",
      "domains_insert",
      "reconciliations_mark_ready",
      "reconcile domain-certificate-group",
      "reconcile distribution",
      "distributions.create",
      "certificates.request",
      "distributions.update",
    ];
    const missing = (): readonly string[] => {
      const names = new Set(ofTrace(root.traceId).map(({ name }) => name));
      return wanted.filter((name) => !names.has(name));
    };
    await until(() => missing().length === 0, "its trace has everything").catch(() => undefined);
    assert.deepEqual(missing(), [], [...new Set(ofTrace(root.traceId).map(({ name }) => name))].join());
    assert.equal(attribute(root, "http.response.status_code"), 201);
    assert.equal(root.parentSpanId ?? "", "");
  });

  it("hangs each statement below its own request, also when many share connections and packets", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `www.parallel-${index}.example.com`);
    const before = new Set(receiver.spans().map(({ traceId }) => traceId));
    const made = await Promise.all(
      names.map((name) => createGroup(instance.admin, project.services["web"], [name])),
    );
    assert.equal(made.length, names.length);
    const fresh = () => rootsOf(CREATE_GROUP).filter(({ traceId }) => !before.has(traceId));
    await until(() => fresh().length === names.length, "all requests' spans arrive");
    for (const root of fresh()) {
      const inserts = await until(() => {
        const found = ofTrace(root.traceId).filter(({ name }) => name === "domains_insert");
        return found.length > 0 && found;
      }, "its statements arrive");
      assert.equal(inserts.length, 1, "one of its own, and none of another's");
      const [insert] = inserts;
      const spans = new Map(ofTrace(root.traceId).map((span) => [span.spanId, span]));
      const transaction = spans.get(insert?.parentSpanId ?? "");
      assert.equal(transaction?.name, "transaction");
      assert.equal(transaction?.parentSpanId, root.spanId);
    }
  });

  it("takes over a trace from a trusted proxy, with its decision", async () => {
    const ask = async (flags: string): Promise<string> => {
      const traceId = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
      const answer = await fetch(`${instance.url}/v1/me`, {
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`,
        },
      });
      assert.equal(answer.status, 200);
      return traceId;
    };
    const left = await ask("00");
    const kept = await ask("01");
    const root = await until(() => ofTrace(kept).find(({ name }) => name === "GET /v1/me"), "it arrives");
    assert.equal(root.parentSpanId, "00f067aa0ba902b7");
    assert.deepEqual(ofTrace(left), []);
  });

  it("has no words of a client", async () => {
    const word = `word-${crypto.randomUUID()}`;
    const found = await instance.admin.get(`/v1/domains?name=${word}.example.com`);
    assert.equal(found.status, 200, found.text);
    await until(() => rootsOf("GET /v1/domains").length > 0, "the request's span arrives");
    for (const text of [word, ADMIN_KEY, "parallel-3.example.com"])
      assert.ok(!receiver.bytes().includes(text), text);
  });
});

describe("without a collector", () => {
  /** Says which packages of OpenTelemetry are loaded, apart from its API, which other packages bring. */
  const WATCH = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (/^@opentelemetry\\/(?!api$)/.test(specifier)) process.stderr.write("LOADED " + specifier + "\\n");
      return next(specifier, context);
    } });
  `)}`;

  async function startAndStop(env: Record<string, string>): Promise<string> {
    const dataDir = await makeTempDir("untraced");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    const args = ["--import", WATCH, path.join(ROOT, "src/main.ts")];
    const service = await startCommand(
      { args },
      { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY, ...env },
    );
    try {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      for (let asked = 0; asked < 20; asked += 1)
        assert.equal((await fetch(`${service.url}/v1/me`, { headers })).status, 200);
      service.process.kill("SIGTERM");
      assert.equal(await service.ended, 0, service.stderr());
      return service.stderr();
    } finally {
      service.process.kill("SIGKILL");
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  it("nothing of OpenTelemetry is loaded; with a collector that is away, requests are answered and it stops", async () => {
    assert.doesNotMatch(await startAndStop({}), /LOADED/);
    const away = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_TRACES_SAMPLER_ARG: "1" };
    assert.match(await startAndStop(away), /LOADED @opentelemetry\/sdk-trace/);
  });
});
