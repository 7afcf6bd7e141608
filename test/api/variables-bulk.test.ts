/** Many variables at once: a dry run, the replacement of all, and the deletion of several. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { CONFIG, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const CANARY = "canary-8d2e-value-that-nobody-else-writes";

describe("many environment variables", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "bulk", withConfigured(CONFIG));
  });
  after(() => instance.dispose());

  const path = () => `/v1/services/${project.services["jobs"]}/env-variables`;
  const ofEnvironment = () => `/v1/environments/${project.environmentId}/env-variables`;
  const list = async (at = path()): Promise<Record<string, string | null>> => {
    const { body } = await instance.admin.get(`${at}?limit=100`);
    return Object.fromEntries(
      body.envVariables
        .filter(({ source }: { source: string }) => source === "api")
        .map(({ name, value, state }: Record<string, string>) => [name, state === "STORED" ? value : state]),
    );
  };
  const finished = async (answer: ApiAnswer, at = path()) => {
    assert.equal(answer.status, 202, answer.text);
    return await until(async () => {
      const { body } = await instance.admin.get(`${at}/status?runId=${answer.body.runId}`);
      return body.isFinished === true && body;
    }, "the run ends");
  };
  /** Starts with exactly these. */
  const begin = async (groups: object, at = path()) => {
    const answer = await instance.admin.put(at, groups);
    if (answer.status === 202) await finished(answer, at);
    else assert.equal(answer.status, 200, answer.text);
    await until(async () => !Object.values(await list(at)).includes("REMOVING"), "old values are removed");
  };
  const auditCount = async () =>
    (await instance.admin.get("/v1/audit-entries?order=desc&limit=1")).body.auditEntries[0].id;
  const inCloud = async () => JSON.stringify((await instance.admin.get("/sandbox/state")).body);

  describe("of which a dry run", () => {
    it("says what would be added, changed, unchanged, unknown and deleted, and does nothing", async () => {
      await begin({
        plainText: { SAME: "a", OTHER: "a", KIND: "a", LEFT: "a" },
        parameterStore: { SECRET: CANARY },
        fromService: { LINK: { id: project.services["web"], value: "url" } },
      });
      const before = [await list(), await auditCount(), await inCloud()];
      const groups = {
        plainText: { SAME: "a", OTHER: "b", NEW: "a" },
        parameterStore: { SECRET: CANARY, KIND: CANARY },
        fromService: { LINK: { id: project.services["web"], value: "url" } },
      };
      const plan = {
        added: [{ name: "NEW", kind: "plainText" }],
        changed: [
          { name: "KIND", kind: "parameterStore", previousKind: "plainText" },
          { name: "OTHER", kind: "plainText", previousKind: "plainText" },
        ],
        unchanged: [
          { name: "LINK", kind: "fromService" },
          { name: "SAME", kind: "plainText" },
        ],
        unknown: [{ name: "SECRET", kind: "parameterStore" }],
        refused: [],
      };
      const set = await instance.admin.post(`${path()}?dryRun=true`, groups);
      assert.equal(set.status, 200, set.text);
      assert.deepEqual(set.body, { status: "dryRun", savedCount: 0, plan: { ...plan, deleted: [] } });
      const replaced = await instance.admin.put(`${path()}?dryRun=true`, groups);
      assert.equal(replaced.status, 200, replaced.text);
      assert.deepEqual(replaced.body.plan, { ...plan, deleted: [{ name: "LEFT", kind: "plainText" }] });
      assert.ok(!set.text.includes(CANARY) && !replaced.text.includes(CANARY));
      assert.deepEqual([await list(), await auditCount(), await inCloud()], before);
      const done = await instance.admin.post(`${path()}?dryRun=false`, { plainText: { SAME: "a" } });
      assert.deepEqual(done.body, { status: "completed", savedCount: 1 });
    });

    it("says by name what would be refused, and by which code", async () => {
      await begin({});
      const groups = {
        plainText: { FINE: "a" },
        fromService: {
          NOBODY: { id: "svc_nobody", value: "url" },
          SELF: { id: project.services["jobs"], value: "url" },
        },
      };
      const { body } = await instance.admin.post(`${path()}?dryRun=true`, groups);
      assert.deepEqual(
        body.plan.refused.map(({ name, code }: Record<string, string>) => [name, code]),
        [
          ["NOBODY", "UNKNOWN_SERVICE"],
          ["SELF", "SELF_REFERENCE"],
        ],
      );
      assert.deepEqual(body.plan.added, [{ name: "FINE", kind: "plainText" }]);
      const faults = assertRefused(await instance.admin.post(path(), groups), 400, "INVALID_REQUEST");
      assert.deepEqual(faults, [
        "/fromService/NOBODY/id UNKNOWN_SERVICE",
        "/fromService/SELF/id SELF_REFERENCE",
      ]);
      const broken = await instance.admin.post(`${path()}?dryRun=true`, { plainText: { "A-B": "" } });
      assert.deepEqual(assertRefused(broken, 400, "INVALID_REQUEST"), ["/plainText/A-B WRONG_FORM"]);
    });

    it("refuses managed values while the account is not connected", async () => {
      const lost = await createProject(instance.admin, "bulk-lost");
      const account = `/v1/aws-accounts/${lost.awsAccountId}`;
      await instance.admin.delete(`/sandbox/stacks/${lost.awsAccountId}`);
      await instance.admin.post(`${account}/check`);
      await until(
        async () => (await instance.admin.get(account)).body.status === "DISCONNECTED",
        "the account is lost",
      );
      const at = `/v1/environments/${lost.environmentId}/env-variables`;
      const { body } = await instance.admin.put(`${at}?dryRun=true`, { secretsManager: { S: CANARY } });
      assert.deepEqual(
        body.plan.refused.map(({ name, kind, code }: Record<string, string>) => [name, kind, code]),
        [["S", "secretsManager", "AWS_ACCOUNT_NOT_CONNECTED"]],
      );
      assert.deepEqual(body.plan.added, []);
    });

    it("is not an answer to the same request without it, nor is another text than true and false", async () => {
      const key = { "idempotency-key": "dry-and-then-wet" };
      const groups = { plainText: { DRY: "a" } };
      const dry = await instance.admin.post(`${path()}?dryRun=true`, groups, key);
      assert.equal(dry.body.status, "dryRun");
      assertRefused(await instance.admin.post(path(), groups, key), 422, "IDEMPOTENCY_KEY_REUSED");
      const odd = await instance.admin.post(`${path()}?dryRun=1`, groups);
      assert.deepEqual(assertRefused(odd, 400, "INVALID_REQUEST"), ["query/dryRun WRONG_TYPE"]);
      assert.equal((await list())["DRY"], undefined);
    });
  });

  describe("replaced", () => {
    it("are exactly the given variables, with managed values in the cloud and the configuration's untouched", async () => {
      for (const at of [path(), ofEnvironment()]) {
        const configured = await sourcesOf(at, "config");
        assert.equal(configured.length, 1);
        await begin({ plainText: { A: "1", B: "1" }, secretsManager: { OLD: `${CANARY}-old` } }, at);
        assert.match(await inCloud(), new RegExp(`${CANARY}-old`));
        const answer = await instance.admin.put(at, {
          plainText: { A: "2" },
          secretsManager: { NEWER: `${CANARY}-new` },
        });
        const { runId, ...rest } = answer.body;
        assert.deepEqual(rest, {
          status: "processing",
          savedCount: 1,
          processingCount: 1,
          deletedCount: 2,
          removingCount: 1,
        });
        assert.equal(answer.headers.get("location"), `${at}/status?runId=${runId}`);
        assert.deepEqual((await finished(answer, at)).failedEnvVariables, {});
        await until(async () => !(await inCloud()).includes(`${CANARY}-old`), "the old secret is removed");
        await until(async () => !("OLD" in (await list(at))), "it is no longer listed");
        assert.deepEqual(await list(at), { A: "2", NEWER: null });
        assert.deepEqual(await sourcesOf(at, "config"), configured);
      }
    });

    it("by nothing are all gone, and by what there is stay as they are", async () => {
      await begin({ plainText: { A: "1" } });
      const [first] = (await instance.admin.get(path())).body.envVariables;
      const same = await instance.admin.put(path(), { plainText: { A: "1" } });
      assert.deepEqual(same.body, { status: "completed", savedCount: 1, deletedCount: 0, removingCount: 0 });
      const [second] = (await instance.admin.get(path())).body.envVariables;
      assert.equal(second.updatedAt, first.updatedAt);
      const none = await instance.admin.put(path(), {});
      assert.deepEqual(none.body, { status: "completed", savedCount: 0, deletedCount: 1, removingCount: 0 });
      assert.deepEqual(await list(), {});
    });

    it("end a managed value that is not stored yet", async () => {
      await begin({});
      await instance.admin.put("/sandbox/faults", { operation: "secrets.put", kind: "throttle" });
      const sent = await instance.admin.post(path(), { secretsManager: { PENDING: CANARY } });
      assert.equal(sent.status, 202, sent.text);
      const answer = await instance.admin.put(path(), { plainText: { ONLY: "a" } });
      await instance.admin.delete("/sandbox/faults");
      assert.equal(answer.body.deletedCount, 1, answer.text);
      const run = await finished(sent);
      assert.equal(run.failedEnvVariables.PENDING.code, "SUPERSEDED");
      await until(async () => !("PENDING" in (await list())), "the value is removed");
      assert.deepEqual(await list(), { ONLY: "a" });
    });

    it("are those of one of two replacements at the same time", async () => {
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(
          ["X", "Y", "Z"].map((name) => instance.admin.put(path(), { plainText: { [name]: "" } })),
        );
        assert.equal(Object.keys(await list()).length, 1, JSON.stringify(await list()));
      }
    });

    it("need the ETag of the list, which every variable changes, on whatever page it is", async () => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`N${number + 10}`, "a"]));
      await begin({ plainText: many });
      const etag = async () => (await instance.admin.get(path())).headers.get("etag") ?? "";
      const before = await etag();
      await instance.admin.post(path(), { plainText: { N49: "on the second page" } });
      const stale = await instance.admin.put(path(), { plainText: { A: "a" } }, { "if-match": before });
      assertRefused(stale, 412, "PRECONDITION_FAILED");
      assert.equal(Object.keys(await list()).length, 40);
      const fresh = await instance.admin.put(path(), { plainText: { A: "a" } }, { "if-match": await etag() });
      assert.equal(fresh.body.deletedCount, 40, fresh.text);
    });

    it("are all as before if one of them cannot be", async () => {
      await begin({ plainText: { KEPT: "a" } });
      const refused = await instance.admin.put(path(), {
        plainText: { NEW: "a" },
        fromService: { LINK: { id: "svc_nobody", value: "url" } },
      });
      assertRefused(refused, 400, "INVALID_REQUEST");
      assert.deepEqual(await list(), { KEPT: "a" });
    });
  });

  describe("deleted", () => {
    it("are all gone, with their values in the cloud, under one audit entry", async () => {
      await begin({ plainText: { A: "1", B: "1", KEPT: "1" }, parameterStore: { SECRET: `${CANARY}-gone` } });
      const answer = await instance.admin.delete(`${path()}?names=A,SECRET,B`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body, { deletedCount: 3, removingCount: 1 });
      await until(async () => !(await inCloud()).includes(`${CANARY}-gone`), "the secret is removed");
      await until(async () => !("SECRET" in (await list())), "it is no longer listed");
      assert.deepEqual(await list(), { KEPT: "1" });
      const { body } = await instance.admin.get(
        "/v1/audit-entries?action=env-variables.deleted&order=desc&limit=1",
      );
      assert.deepEqual(body.auditEntries[0].details, { names: ["A", "SECRET", "B"] });
    });

    it("are all or none, with a fault for each unknown name", async () => {
      await begin({ plainText: { A: "1" } });
      const answer = await instance.admin.delete(`${path()}?names=NOBODY,A,__proto__`);
      const faults = assertRefused(answer, 400, "INVALID_REQUEST");
      assert.deepEqual(faults, ["query/names UNKNOWN_VARIABLE", "query/names UNKNOWN_VARIABLE"]);
      assert.match(answer.body.errors[0].message, /NOBODY/);
      for (const query of ["", "?names=", "?names=A,", "?names=A-B", "?name=A"])
        assertRefused(await instance.admin.delete(path() + query), 400, "INVALID_REQUEST");
      assert.deepEqual(await list(), { A: "1" });
    });
  });

  describe("set and deleted by one request", () => {
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}_${String(index).padStart(20, "0")}`);

    it("are all of it or nothing, also where the names are far longer than an address", async () => {
      const [old, fresh] = [names("OLD", 400), names("NEW", 600)];
      await begin({
        plainText: Object.fromEntries(old.map((name) => [name, "a"])),
        parameterStore: { SECRET: `${CANARY}-pruned` },
      });
      const body = {
        plainText: Object.fromEntries(fresh.map((name) => [name, "b"])),
        delete: [...old, "SECRET"],
      };
      const dry = await instance.admin.post(`${path()}?dryRun=true`, body);
      assert.equal(dry.status, 200, dry.text);
      assert.deepEqual(
        dry.body.plan.deleted.map(({ name }: { name: string }) => name),
        [...old, "SECRET"].toSorted(),
      );
      assert.equal(dry.body.plan.added.length, 600);

      const unknown = await instance.admin.post(path(), { ...body, delete: [...body.delete, "NOBODY"] });
      assert.deepEqual(assertRefused(unknown, 400, "INVALID_REQUEST"), ["/delete/401 UNKNOWN_VARIABLE"]);
      const planned = await instance.admin.post(`${path()}?dryRun=true`, { delete: ["NOBODY"] });
      assert.deepEqual(assertRefused(planned, 400, "INVALID_REQUEST"), ["/delete/0 UNKNOWN_VARIABLE"]);
      assert.equal((await all()).length, 401);

      const done = await instance.admin.post(path(), body);
      assert.equal(done.status, 200, done.text);
      const answer = { status: "completed", savedCount: 600, deletedCount: 401, removingCount: 1 };
      assert.deepEqual(done.body, answer);
      await until(async () => !(await inCloud()).includes(`${CANARY}-pruned`), "the secret is removed");
      await until(async () => (await all()).length === 600, "it is no longer listed");
      assert.deepEqual(await all(), fresh);
    });

    it("are emitted as one change, with an audit entry for each half", async () => {
      await begin({ plainText: { A: "1", B: "1" } });
      const sent = await instance.admin.post(path(), { secretsManager: { C: CANARY }, delete: ["A"] });
      const { runId, ...rest } = sent.body;
      assert.deepEqual(rest, {
        status: "processing",
        savedCount: 0,
        processingCount: 1,
        deletedCount: 1,
        removingCount: 0,
      });
      assert.equal(sent.headers.get("location"), `${path()}/status?runId=${runId}`);
      await finished(sent);
      assert.deepEqual(await list(), { B: "1", C: null });
      const { body } = await instance.admin.get(
        `/v1/audit-entries?resourceId=${project.services["jobs"]}&order=desc&limit=2`,
      );
      assert.deepEqual(
        body.auditEntries.map(({ action, details }: Record<string, unknown>) => [action, details]),
        [
          ["env-variables.set", { names: ["C"] }],
          ["env-variables.deleted", { names: ["A"] }],
        ],
      );
    });

    it("are refused with the place of a name that is given twice, or is none", async () => {
      await begin({ plainText: { A: "1" } });
      const refusals: readonly (readonly [body: object, faults: readonly string[]])[] = [
        [{ plainText: { A: "2" }, delete: ["A"] }, ["/delete/0 DUPLICATE"]],
        [{ delete: ["A", "A"] }, ["/delete/1 DUPLICATE"]],
        [{ delete: ["A-B"] }, ["/delete/0 WRONG_FORM"]],
        [{ delete: "A" }, ["/delete WRONG_TYPE"]],
        [{ delete: names("N", 2_001) }, ["/delete TOO_LARGE"]],
      ];
      for (const [body, faults] of refusals)
        assert.deepEqual(
          assertRefused(await instance.admin.post(path(), body), 400, "INVALID_REQUEST"),
          faults,
        );
      const put = await instance.admin.put(path(), { delete: ["A"] });
      assert.deepEqual(assertRefused(put, 400, "INVALID_REQUEST"), ["/delete UNKNOWN_FIELD"]);
      assert.deepEqual(await list(), { A: "1" });
    });

    it("end in one of two orders where two requests cross", async () => {
      for (let round = 0; round < 10; round += 1) {
        await begin({ plainText: { X: "0", Y: "0" } });
        const answers = await Promise.all([
          instance.admin.post(path(), { plainText: { X: "1" }, delete: ["Y"] }),
          instance.admin.post(path(), { plainText: { Y: "1" }, delete: ["X"] }),
        ]);
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200],
        );
        assert.equal(Object.keys(await list()).length, 1, JSON.stringify(await list()));
      }
    });

    async function all(): Promise<readonly string[]> {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body } = await instance.admin.get(
          `${path()}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`,
        );
        found.push(
          ...body.envVariables
            .filter(({ source }: { source: string }) => source === "api")
            .map(({ name }: { name: string }) => name),
        );
        cursor = body.nextCursor;
      }
      return found;
    }
  });

  async function sourcesOf(at: string, source: string): Promise<readonly unknown[]> {
    const { body } = await instance.admin.get(`${at}?limit=100`);
    return body.envVariables.filter((one: { source: string }) => one.source === source);
  }
});

/** With a variable of its own in each scope. */
function withConfigured({ environments }: typeof CONFIG): object {
  const envVariables = { CONFIGURED: "by the file" };
  return {
    environments: environments.map((environment) => ({
      ...environment,
      envVariables,
      services: environment.services.map((service) => ({ ...service, envVariables })),
    })),
  };
}
