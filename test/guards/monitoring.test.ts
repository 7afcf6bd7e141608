/** Every metric that a rule or the dashboard names is in `/metrics`, and every one of ours is in the dashboard. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DASHBOARD } from "../../scripts/monitoring/dashboard.ts";
import { RULES } from "../../scripts/monitoring/rules.ts";
import { METRICS } from "../../src/start/metric-catalogue.ts";
import { attach, createProject } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

/** Prometheus makes it itself. */
const OF_PROMETHEUS: ReadonlySet<string> = new Set(["up"]);
/** The parts of an expression that are not metrics: functions, words, labels and their values. */
const NO_METRIC =
  /\{[^}]*\}|\[[^\]]*\]|\b(?:by|without) \([^)]*\)|\b[a-z_]+(?=\()|\b(?:and|or|unless|offset|sum|min|max|by)\b|\b\d+m?\b/g;

const queries = DASHBOARD.flatMap(({ panels }) =>
  panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)),
);
const expressions = [...RULES.map(({ expr }) => expr), ...queries];

const metricsIn = (expr: string): readonly string[] =>
  expr.replaceAll(NO_METRIC, " ").match(/[a-z_][a-z0-9_]*/g) ?? [];

describe("what deploy/ names", () => {
  let instance: Instance;
  let text: string;
  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    const { services } = await createProject(admin, "Measured");
    await attach(admin, services["web"], ["www.measured.example.com"]);
    const made = await admin.post("/v1/webhook-endpoints", {
      url: "http://127.0.0.1:9/",
      types: ["aws_account.*"],
    });
    assert.equal(made.status, 201, made.text);
    text = await (await fetch(`${instance.url}/metrics`)).text();
  });
  after(() => instance.dispose());

  for (const expr of expressions) {
    it(`is in /metrics: ${expr}`, () => {
      const named = metricsIn(expr);
      assert.ok(named.length > 0);
      for (const name of named) {
        const declared = name.replace(/_(?:bucket|sum|count)$/, "");
        assert.ok(OF_PROMETHEUS.has(name) || text.includes(`# TYPE ${declared} `), name);
      }
    });
  }

  it("has values of what the database knows", () => {
    const valueOf = (figure: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${figure} `))
          ?.slice(figure.length + 1) ?? Number.NaN,
      );
    const days = valueOf(METRICS.certificateLife.name) / 86_400;
    assert.ok(days > 0 && days < 400, `a certificate expires in ${days} days`);
    assert.ok(valueOf(METRICS.eventLag.name) >= 0);
    assert.equal(valueOf(`${METRICS.webhookEndpoints.name}{status="HEALTHY"}`), 1);
    assert.ok(valueOf(`${METRICS.webhookBacklog.name}{status="HEALTHY"}`) >= 0);
    // Without standbys; the embedded database has none at all.
    assert.equal(valueOf(METRICS.replicas.name), instance.databaseUrl === null ? Number.NaN : 0);
    assert.equal(valueOf(METRICS.replicationLag.name), Number.NaN);
  });

  it("has no label that its metric does not have", () => {
    const labels = new Map(Object.values(METRICS).map(({ name, labelNames }) => [name, labelNames]));
    for (const expr of expressions) {
      for (const [, name = "", matchers = ""] of expr.matchAll(/\b(slipway_\w+?)(?:_bucket)?\{([^}]*)\}/g)) {
        const used = [...matchers.matchAll(/(\w+)(?:=~|!=|=)/g)].map(([, label]) => label ?? "");
        const known = new Set<string>([...(labels.get(name) ?? []), "instance"]);
        assert.deepEqual(
          used.filter((label) => !known.has(label)),
          [],
          expr,
        );
      }
    }
  });

  it("leaves out none of ours in the dashboard", () => {
    const shown = new Set(queries.flatMap(metricsIn).map((name) => name.replace(/_bucket$/, "")));
    assert.deepEqual(
      Object.values(METRICS).filter(({ name }) => !shown.has(name)),
      [],
    );
  });
});
