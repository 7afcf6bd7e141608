/** What variables have been, and how an earlier value is restored. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const CANARY = "canary-51ca-value-that-nobody-else-writes";

type Version = Readonly<Record<string, unknown>> & { readonly version: string };

describe("the history of a variable", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "history");
  });
  after(() => instance.dispose());

  const path = () => `/v1/services/${project.services["jobs"]}/env-variables`;
  const set = async (groups: object) => {
    const answer = await instance.admin.post(path(), groups);
    assert.ok(answer.status < 300, answer.text);
    if (answer.status !== 202) return;
    await until(
      async () => (await instance.admin.get(`${path()}/status?runId=${answer.body.runId}`)).body.isFinished,
      "the run ends",
    );
  };
  const historyOf = async (name: string, query = ""): Promise<readonly Version[]> => {
    const answer = await instance.admin.get(`${path()}/${name}/history${query}`);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!answer.text.includes(CANARY), "no value of a managed variable");
    return answer.body.versions;
  };
  const restore = (name: string, version: unknown, headers = {}) =>
    instance.admin.post(`${path()}/${name}/restore`, { version }, headers);

  it("shows who set what and when, each kind, and the deletion", async () => {
    const developer = await createUserClient(instance.admin, "developer");
    await set({ plainText: { A: "first", OTHER: "x" } });
    await developer.post(path(), { plainText: { A: "second" } });
    await set({ parameterStore: { A: CANARY } });
    await set({ fromSecretsManager: { A: "acme/a" } });
    await set({ fromService: { A: { id: project.services["web"], value: "url" } } });
    await instance.admin.delete(`${path()}/A`);
    const versions = await historyOf("A");
    assert.deepEqual(
      versions.map(({ kind, value, isDeletion, reference }) => [kind, value, isDeletion, reference !== null]),
      [
        ["plainText", "first", false, false],
        ["plainText", "second", false, false],
        ["parameterStore", null, false, true],
        ["fromSecretsManager", null, false, true],
        ["fromService", null, false, false],
        [null, null, true, false],
      ],
    );
    assert.deepEqual(versions[4]?.["fromService"], { id: project.services["web"], value: "url" });
    const { body: me } = await instance.admin.get("/v1/me");
    const { body: other } = await developer.get("/v1/me");
    for (const [index, user] of [me, other, me, me, me, me].entries()) {
      assert.equal(versions[index]?.["userId"], user.user.id);
      assert.equal(versions[index]?.["apiKeyId"], user.apiKey.id);
      assert.equal(typeof versions[index]?.["requestId"], "string");
    }
    const times = versions.map(({ at }) => String(at));
    assert.deepEqual(times, times.toSorted());
    assert.equal(new Set(versions.map(({ version }) => version)).size, 6);
    assert.deepEqual((await historyOf("OTHER")).length, 1);
  });

  it("continues after a deletion, and does not count a value that was there already", async () => {
    await set({ plainText: { B: "1" } });
    await set({ plainText: { B: "1" } });
    await instance.admin.delete(`${path()}/B`);
    await set({ plainText: { B: "1" } });
    await instance.admin.delete(`${path()}?names=B`);
    await set({ plainText: { B: "2" } });
    await instance.admin.put(path(), { plainText: { ONLY: "this" } });
    assert.deepEqual(
      (await historyOf("B")).map(({ value }) => value),
      ["1", null, "1", null, "2", null],
    );
    assert.deepEqual(
      (await historyOf("B", "?order=desc&limit=2")).map(({ value }) => value),
      [null, "2"],
    );
  });

  it("has as its last version what is in effect, whichever of many requests at the same time that is", async () => {
    const values = Array.from({ length: 20 }, (_, index) => `value-${index}`);
    await Promise.all(
      values.map((value, index) =>
        index % 5 === 4
          ? instance.admin.delete(`${path()}/RACED`)
          : instance.admin.post(path(), { plainText: { RACED: value } }),
      ),
    );
    const last = (await historyOf("RACED", "?limit=100")).at(-1);
    const { status, body } = await instance.admin.get(`${path()}/RACED`);
    assert.equal(last?.["value"], status === 404 ? null : body.value);
  });

  it("has a page for clients that wait, and none for a name that never existed", async () => {
    await set({ plainText: { WAITED: "1" } });
    const { headers } = await instance.admin.get(`${path()}/WAITED/history`);
    const waiting = instance.admin.get(`${path()}/WAITED/history`, {
      prefer: "wait=30",
      "if-none-match": headers.get("etag") ?? "",
    });
    await set({ plainText: { WAITED: "2" } });
    assert.equal((await waiting).body.versions.length, 2);
    assertRefused(await instance.admin.get(`${path()}/NEVER/history`), 404, "NOT_FOUND");
    assertRefused(
      await instance.admin.get("/v1/services/svc_none/env-variables/A/history"),
      404,
      "NOT_FOUND",
    );
  });

  it("restores plain values, references and links, also after a deletion", async () => {
    await set({ plainText: { C: "first" } });
    await set({ fromParameterStore: { C: "/acme/c" } });
    await set({ fromService: { C: { id: project.services["web"], value: "host" } } });
    await instance.admin.delete(`${path()}/C`);
    const [plain, reference, link, deletion] = await historyOf("C");
    for (const [version, seen] of [
      [plain, { kind: "plainText", value: "first", reference: null, fromService: null }],
      [reference, { kind: "fromParameterStore", value: null, reference: "/acme/c", fromService: null }],
      [
        link,
        { kind: "fromService", value: null, fromService: { id: project.services["web"], value: "host" } },
      ],
    ] as const) {
      const answer = await restore("C", version?.version, {
        "idempotency-key": `restore-${version?.version}`,
      });
      assert.equal(answer.status, 200, answer.text);
      const { body } = await instance.admin.get(`${path()}/C`);
      assert.deepEqual(answer.body, body);
      assert.deepEqual({ ...body, ...seen }, body);
    }
    assert.equal((await historyOf("C")).length, 7);
    assertRefused(await restore("C", deletion?.version), 409, "VERSION_NOT_RESTORABLE");
    const { body } = await instance.admin.get(
      "/v1/audit-entries?action=env-variable.restored&order=desc&limit=1",
    );
    assert.deepEqual(body.auditEntries[0].details, { after: { version: link?.version } });
  });

  it("restores no managed value, and nothing that is not there", async () => {
    await set({ secretsManager: { D: CANARY } });
    await set({ plainText: { D: "now", E: "e" } });
    const [managed] = await historyOf("D");
    const [ofE] = await historyOf("E");
    const refused = await restore("D", managed?.version);
    assertRefused(refused, 409, "VERSION_NOT_RESTORABLE");
    assert.match(refused.body.detail, /Slipway does not keep such values/);
    assertRefused(await restore("D", "ver_unknown"), 404, "NOT_FOUND");
    assertRefused(await restore("NEVER", ofE?.version), 404, "NOT_FOUND");
    assertRefused(await restore("D", 7), 400, "INVALID_REQUEST");
    assert.equal((await instance.admin.get(`${path()}/D`)).body.value, "now");
  });

  it("ends a managed value that is on its way when an earlier one is restored", async () => {
    await set({ plainText: { F: "plain" } });
    const [plain] = await historyOf("F");
    await instance.admin.put("/sandbox/faults", { operation: "secrets.put", kind: "throttle" });
    const sent = await instance.admin.post(path(), { secretsManager: { F: CANARY } });
    assert.equal(sent.status, 202, sent.text);
    const answer = await restore("F", plain?.version);
    await instance.admin.delete("/sandbox/faults");
    assert.equal(answer.status, 200, answer.text);
    await until(
      async () => (await instance.admin.get(`${path()}/status?runId=${sent.body.runId}`)).body.isFinished,
      "the run ends",
    );
    assert.equal((await instance.admin.get(`${path()}/F`)).body.value, "plain");
  });

  it("ends with its service", async () => {
    const gone = await createProject(instance.admin, "history-gone");
    const at = `/v1/environments/${gone.environmentId}/env-variables`;
    await instance.admin.post(at, { plainText: { A: "1" } });
    assert.equal((await instance.admin.get(`${at}/A/history`)).status, 200);
    const deleted = await instance.admin.delete(`/v1/projects/${gone.projectId}`);
    assert.ok(deleted.status < 300, deleted.text);
    assertRefused(await instance.admin.get(`${at}/A/history`), 404, "NOT_FOUND");
  });
});
