import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const CANARY = "canary-4b1f-value-that-nobody-else-writes";

describe("environment variables", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "variables");
  });
  after(() => instance.dispose());

  const environmentPath = () => `/v1/environments/${project.environmentId}/env-variables`;
  const servicePath = () => `/v1/services/${project.services["web"]}/env-variables`;

  async function finished(path: string, runId: string) {
    return await until(async () => {
      const { status, body } = await instance.admin.get(`${path}/status?runId=${runId}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.isFinished === true && body;
    }, `run ${runId} ends`);
  }

  it("without managed secrets are saved at once", async () => {
    const saved = await instance.admin.post(environmentPath(), {
      plainText: { PORT: "3000", __proto: "kept" },
      fromParameterStore: { LEGACY: "/legacy/value" },
    });
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    assert.deepEqual(saved.body, { status: "completed", savedCount: 3 });
  });

  it("with managed secrets are processed, and the value is stored only in the customer's cloud", async () => {
    const accepted = await instance.admin.post(environmentPath(), {
      plainText: { PLAIN: "seen" },
      parameterStore: { TOKEN: CANARY },
      secretsManager: { PASSWORD: `${CANARY}-2` },
    });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    const { runId, ...rest } = accepted.body;
    assert.deepEqual(rest, { status: "processing", savedCount: 1, processingCount: 2 });
    const run = await finished(environmentPath(), runId);
    assert.equal(run.processedEnvVariables, 2);
    assert.equal(run.totalExpectedEnvVars, 2);
    assert.deepEqual(run.failedEnvVariables, {});
    assert.match(run.storedEnvVariables.TOKEN.fromParameterStore, /^\/slipway\/.*\/TOKEN$/);
    assert.match(run.storedEnvVariables.PASSWORD.fromSecretsManager, /^arn:aws:secretsmanager:/);
    const { body: state } = await instance.admin.get("/sandbox/state");
    assert.ok(JSON.stringify(state).includes(CANARY), "the customer's cloud holds the value");
    const { body: list } = await instance.admin.get(environmentPath());
    assert.ok(!JSON.stringify(list).includes(CANARY));
    assert.ok(!instance.logged().includes(CANARY));
  });

  it("that are plain write an audit entry, and replace a value in the cloud, with and without a key", async () => {
    const auditCount = async () => {
      const { body } = await instance.admin.get(
        `/v1/audit-entries?resourceId=${project.environmentId}&limit=100`,
      );
      return body.auditEntries.filter(({ action }: { action: string }) => action === "env-variables.set")
        .length;
    };
    const inCloud = async () => JSON.stringify((await instance.admin.get("/sandbox/state")).body);
    for (const headers of [{}, { "idempotency-key": "in-the-place-of-a-secret" }]) {
      const secret = await instance.admin.post(environmentPath(), {
        secretsManager: { REPLACED: "not-plain" },
      });
      await finished(environmentPath(), secret.body.runId);
      assert.match(await inCloud(), /not-plain/);
      const before = await auditCount();
      const plain = await instance.admin.post(
        environmentPath(),
        { plainText: { REPLACED: "plain" } },
        headers,
      );
      assert.deepEqual(plain.body, { status: "completed", savedCount: 1 });
      assert.equal(await auditCount(), before + 1);
      await until(async () => !(await inCloud()).includes("not-plain"), "the secret is removed");
    }
    const before = await auditCount();
    await instance.admin.post(environmentPath(), { plainText: { NEW: "plain" } });
    assert.equal(await auditCount(), before + 1);
  });

  it("of an environment are not set at the path of a service, nor of a missing environment", async () => {
    const serviceId = project.services["web"] ?? "";
    const body = { plainText: { LOST: "x" } };
    for (const path of [
      `/v1/environments/${serviceId}/env-variables`,
      `/v1/services/${project.environmentId}/env-variables`,
      `/v1/services/${serviceId.slice(0, -1)}${serviceId.endsWith("0") ? 1 : 0}/env-variables`,
    ]) {
      for (const headers of [{}, { "idempotency-key": `of-nothing:${path}` }]) {
        const answer = await instance.admin.post(path, body, headers);
        assertRefused(answer, 404, "NOT_FOUND");
      }
    }
  });

  it("of one name set by many concurrent requests have one of the sent values", async () => {
    const values = Array.from({ length: 20 }, (_, index) => `value-${index}`);
    const answers = await Promise.all(
      values.map((value) => instance.admin.post(environmentPath(), { plainText: { RACED: value } })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const { body } = await instance.admin.get(environmentPath());
    const raced = body.envVariables.filter(({ name }: { name: string }) => name === "RACED");
    assert.equal(raced.length, 1);
    assert.ok(values.includes(raced[0].value), JSON.stringify(raced));
  });

  it("of one name, managed and set by many concurrent requests, end as the newest, in the API and in the cloud", async () => {
    const values = Array.from({ length: 8 }, (_, index) => `raced-secret-${index}`);
    const answers = await Promise.all(
      values.map((value) =>
        instance.admin.post(environmentPath(), { secretsManager: { RACED_SECRET: value } }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    const runs = await Promise.all(answers.map(({ body }) => finished(environmentPath(), body.runId)));
    const { body: state } = await instance.admin.get("/sandbox/state");
    const secrets = state.accounts.flatMap(
      (account: { secrets: { name: string; value: string }[] }) => account.secrets,
    );
    const kept = secrets.filter(({ name }: { name: string }) => name.endsWith("/RACED_SECRET"));
    assert.equal(kept.length, 1);
    const winner = runs[values.indexOf(kept[0].value)];
    assert.ok(winner.storedEnvVariables.RACED_SECRET !== undefined, JSON.stringify(winner));
    // A run that lost says so; none ends without a word.
    for (const { storedEnvVariables, failedEnvVariables } of runs) {
      const failure = failedEnvVariables.RACED_SECRET;
      assert.ok(storedEnvVariables.RACED_SECRET !== undefined || failure.code === "SUPERSEDED");
    }
  });

  it("of a service take precedence over those of its environment", async () => {
    await instance.admin.post(environmentPath(), { plainText: { LEVEL: "environment" } });
    await instance.admin.post(servicePath(), { plainText: { LEVEL: "service" } });
    const { body } = await instance.admin.get(`${servicePath()}/effective`);
    const level = body.envVariables.find(({ name }: { name: string }) => name === "LEVEL");
    assert.equal(level.from, "service");
  });

  it("are seen at once by waiting readers, in their scope and in the effective list", async () => {
    const { admin } = instance;
    const effective = `${servicePath()}/effective`;
    const writes: readonly {
      readonly path: string;
      readonly waiting: readonly string[];
      readonly body: object;
      readonly headers?: Record<string, string>;
    }[] = [
      {
        path: servicePath(),
        waiting: [servicePath(), effective],
        body: { plainText: { SEEN: "of the service" } },
      },
      {
        path: environmentPath(),
        waiting: [environmentPath(), effective],
        body: { plainText: { SEEN_TOO: "of the environment" } },
      },
      {
        path: environmentPath(),
        waiting: [environmentPath(), effective],
        body: { plainText: { SEEN_TOO: "in a transaction" } },
        headers: { "idempotency-key": "seen-at-once" },
      },
    ];
    for (const { path, waiting, body, headers } of writes) {
      const answers = Promise.all(waiting.map((one) => admin.get(`${one}?limit=100`, { prefer: "wait=30" })));
      await untilWaiting(waiting.length);
      const startedAt = Date.now();
      assert.equal((await admin.post(path, body, headers)).status, 200);
      const [value] = Object.values(Object.values(body)[0] ?? {});
      for (const answer of await answers) {
        assert.equal(answer.headers.get("preference-applied"), "wait=30");
        assert.ok(JSON.stringify(answer.body).includes(String(value)), JSON.stringify(answer.body));
      }
      assert.ok(Date.now() - startedAt < 4_500, "the write ended the waits, not the next look");
    }
  });

  it("that link to a service change at once when it gets its address", async () => {
    const { admin } = instance;
    await admin.put("/sandbox/faults", { operation: "distributions.create", kind: "quota" });
    const { services } = await createProject(admin, "linked");
    const linking = `/v1/services/${services["jobs"]}/env-variables`;
    const link = { WEB_URL: { id: services["web"], value: "url" } };
    assert.equal((await admin.post(linking, { fromService: link })).status, 200);
    const seen = async (path: string) => {
      const { body } = await admin.get(path, { prefer: "wait=30" });
      return { body, at: Date.now() };
    };
    const waiting = Promise.all([seen(`${linking}/effective`), seen(`/v1/services/${services["web"]}`)]);
    await untilWaiting(2);
    await admin.delete("/sandbox/faults");
    const [effective, service] = await waiting;
    assert.equal(effective.body.envVariables[0].value, `https://${service.body.cdnDomainName}`);
    assert.ok(effective.at - service.at < 1_500, "the address ended the wait, not the next look");
  });

  const untilWaiting = async (count: number): Promise<void> => {
    await until(async () => {
      const metrics = await (await fetch(`${instance.url}/metrics`)).text();
      return metrics.includes(`\nslipway_waiting_reads ${count}\n`);
    }, `${count} reads wait`);
  };

  it("are refused with every fault at once", async () => {
    const { status, body } = await instance.admin.post(environmentPath(), {
      plainText: { "BAD-NAME": "x", TWICE: "a" },
      secretsManager: { TWICE: "b" },
      parameterStore: { LONG: "x".repeat(5_000) },
    });
    assert.equal(status, 400);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    assert.ok(paths.includes("/plainText/BAD-NAME"), JSON.stringify(paths));
    assert.ok(paths.includes("/parameterStore/LONG"), JSON.stringify(paths));
    assert.ok(
      paths.some((path: string) => path.endsWith("/TWICE")),
      JSON.stringify(paths),
    );
  });

  it("that the cloud refuses end as failed, and the others continue", async () => {
    await instance.admin.put("/sandbox/faults", { operation: "parameters.put", kind: "denied" });
    try {
      const accepted = await instance.admin.post(servicePath(), {
        parameterStore: { NO: "n" },
        secretsManager: { YES: "y" },
      });
      const run = await finished(servicePath(), accepted.body.runId);
      assert.deepEqual(Object.keys(run.failedEnvVariables), ["NO"]);
      assert.deepEqual(Object.keys(run.storedEnvVariables), ["YES"]);
    } finally {
      await instance.admin.delete("/sandbox/faults");
    }
  });

  it("of a run are stored once in spite of lost answers", async () => {
    await instance.admin.put("/sandbox/faults", {
      operation: "secrets.put",
      kind: "lost-response",
      count: 2,
    });
    const accepted = await instance.admin.post(servicePath(), { secretsManager: { ONCE: "once" } });
    const run = await finished(servicePath(), accepted.body.runId);
    await instance.admin.delete("/sandbox/faults");
    assert.deepEqual(run.failedEnvVariables, {});
    const { body: state } = await instance.admin.get("/sandbox/state");
    const secret = state.accounts
      .flatMap(({ secrets }: { secrets: { name: string }[] }) => secrets)
      .find(({ name }: { name: string }) => name.includes("ONCE"));
    assert.equal(secret.versions ?? secret.versionCount, 1, JSON.stringify(secret));
  });
});
