/**
 * The reconciler on a real database against a cloud of a few lines whose every answer the test chooses.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { type Cloud, CloudError, isAbsence } from "../../cloud/cloud.ts";
import { type Database, readStatement, writeStatement } from "../../db/database.ts";
import { firstRows } from "../../db/page.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { AppError } from "../../lib/errors.ts";
import { newConnectionId, newId } from "../../lib/ids.ts";
import { stepsInARow } from "../../jobs/testing.ts";
import { createLogger } from "../../lib/log.ts";
import { createOrganization } from "../organizations/commands.ts";
import { openSealing, type Sealing } from "../../sealing/open-sealing.ts";
import { createTestClock } from "../../sealing/testing.ts";
import { deleteVariable, removeProjectVariables, setVariables } from "./commands.ts";
import { getRunItems } from "./queries.ts";
import { prepareVariables } from "./prepare-write.ts";
import { STRAGGLER_MS } from "../../cloud/calls/stragglers.ts";
import type { VariableGroups } from "./body.ts";
import { reconcileVariableScope } from "./reconcile-variables.ts";
import { envVariables } from "./store.ts";

const OUTCOMES = ["done", "throttled", "lost", "unavailable", "denied"] as const;
type Outcome = (typeof OUTCOMES)[number];

/** A cloud that keeps values with their tokens, and gives the answers that a test sets; `done` by default. */
function createScriptedCloud() {
  const values = new Map<string, { value: string; tokens: string[] }>();
  const script: Outcome[] = [];
  /** Called before each put or removal takes effect, which a dead process may have sent. */
  const hooks: {
    beforePut: ((takeEffect: () => void) => Promise<void>) | null;
    beforeDelete: ((takeEffect: () => void) => Promise<void>) | null;
  } = { beforePut: null, beforeDelete: null };
  const answer = <T>(operation: string, work: () => T): T => {
    switch (script.shift() ?? "done") {
      case "done":
        return work();
      case "lost":
        work();
        throw new CloudError("retryable", "UNAVAILABLE", operation, "The answer was lost.");
      case "unavailable":
        throw new CloudError("retryable", "UNAVAILABLE", operation, "There is no answer.");
      case "throttled":
        throw new CloudError("retryable", "THROTTLED", operation, "Rate exceeded.");
      case "denied":
        throw new CloudError("denied", "ACCESS_DENIED", operation, "The role may not do this.");
    }
  };
  const store = (kind: string): Cloud["parameters"] => ({
    async put(_account, { name, value, token }) {
      const takeEffect = () => {
        const tokens = values.get(name)?.tokens ?? [];
        if (!tokens.includes(token)) values.set(name, { value, tokens: [...tokens, token] });
        return { reference: name };
      };
      await hooks.beforePut?.(takeEffect);
      return answer(`${kind}.put`, takeEffect);
    },
    async delete(_account, { name }) {
      const takeEffect = () => void values.delete(name);
      await hooks.beforeDelete?.(takeEffect);
      answer(`${kind}.delete`, takeEffect);
    },
  });
  const refuse = () => {
    throw new Error("Variables have no business with this part of the cloud.");
  };
  const cloud: Cloud = {
    kind: "sandbox",
    caaIssuers: () => Promise.resolve([]),
    servesRepositories: false,
    sleeps: true,
    readsOtherSecrets: true,
    keepsLogsByDays: true,
    scalesInstances: true,
    cachesAnswers: true,
    buildsDockerfiles: true,
    runsImages: true,
    joinsValues: true,
    createsStores: [],
    sizesStores: true,
    provesByConnection: false,
    zones: { find: refuse, look: refuse, create: refuse, delete: refuse },
    stackFor: refuse,
    identity: { verify: refuse, missingPermissions: refuse },
    certificates: { request: refuse, describe: refuse, list: refuse, delete: refuse },
    distributions: {
      create: refuse,
      describe: refuse,
      update: refuse,
      invalidate: refuse,
      describeInvalidation: refuse,
      forgetRedirects: refuse,
      delete: refuse,
      traffic: refuse,
    },
    parameters: store("parameters"),
    secrets: store("secrets"),
  };
  return { cloud, values, script, hooks };
}

/** More than the first backoff, and less than a call may be on its way. */
const BACKOFF_MS = 10_000;

/** Holds each put until this many are running, and none after that, so that the order of answers is not random. */
function untilUnderWay(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return () => {
    left -= 1;
    if (left === 0) resolve();
    return promise;
  };
}

describe("the variables of one scope", () => {
  const clock = createTestClock();
  const scripted = createScriptedCloud();
  let folder: string;
  let db: Database;
  let sealing: Sealing;
  let actor: Actor;
  let reconcile: ReturnType<typeof stepsInARow>;
  let projectId: string;
  const pokes: string[] = [];
  const jobs = {
    async enqueue(_tx: unknown, kind: string, { id }: { id: string }) {
      pokes.push(`${kind} ${id}`);
    },
  };

  before(async () => {
    folder = await makeTempDir("variables");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    sealing = await openSealing({ folder: path.join(folder, "keys"), clock });
    const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Test", null));
    actor = {
      organizationId,
      userId: "user_1",
      credential: { kind: "api-key", id: "key_1" },
      role: "admin",
      access: FULL_ACCESS,
      requestId: "request",
    };
    projectId = await insertProject(db, organizationId);
    reconcile = stepsInARow(
      reconcileVariableScope({
        db,
        cloud: scripted.cloud,
        clock,
        sealing: sealing.runs,
        jobs,
        log: createLogger("silent"),
        random: () => 0.5,
      }),
    );
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function newScope(): Promise<string> {
    const id = newId("env");
    await db.query(INSERT_ENVIRONMENT, [actor.organizationId, id, projectId]);
    scripted.values.clear();
    scripted.script.length = 0;
    scripted.hooks.beforePut = null;
    scripted.hooks.beforeDelete = null;
    return id;
  }

  const prepare = (environmentId: string, groups: VariableGroups) =>
    prepareVariables(
      { db, cloud: scripted.cloud, sealing: sealing.runs, clock },
      actor,
      { environmentId },
      groups,
    );

  /** Returns the run's id; null when there is nothing to wait for. */
  async function set(environmentId: string, groups: VariableGroups): Promise<string | null> {
    const prepared = await prepare(environmentId, groups);
    await db.transaction((tx) => setVariables(tx, jobs, [{ ...prepared, actor }]));
    return prepared.run?.id ?? null;
  }

  const remove = (environmentId: string, name: string) =>
    db.transaction((tx) => deleteVariable(tx, jobs, actor, { environmentId }, name));

  const check = (id: string) =>
    reconcile({ organizationId: actor.organizationId, id }, new AbortController().signal);

  /** A step; if it fails because there was no answer, the failure is handled as in the worker. */
  const pass = (id: string) =>
    check(id).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
      return { runAfterMs: 500 };
    });

  /** Passes until nothing is ahead, on a clock that jumps to when it is due. */
  async function settle(id: string): Promise<void> {
    for (let passes = 0; ; passes += 1) {
      assert.ok(passes < 200, "the scope never comes to rest");
      const result = await pass(id);
      if (result === "done") return;
      clock.advance(result.runAfterMs);
    }
  }

  const inForce = (id: string) => envVariables.list(db, actor.organizationId, id, firstRows(100));

  const outcomeOf = async (environmentId: string, runId: string | null) =>
    (await getRunItems(db, actor.organizationId, { environmentId }, runId ?? "")).map(
      ({ name, state, failureCode }) => `${name} ${failureCode ?? state}`,
    );

  const cloudValues = () => [...scripted.values.values()].map(({ value }) => value).sort();
  const versions = () => [...scripted.values.values()].map(({ tokens }) => tokens.length);

  it("continue after a lost answer, with one version", async () => {
    const id = await newScope();
    scripted.script.push("lost", "lost", "throttled", "unavailable");
    const runId = await set(id, { secretsManager: { A: "secret" } });
    await settle(id);
    assert.deepEqual(await outcomeOf(id, runId), ["A STORED"]);
    assert.deepEqual(versions(), [1]);
  });

  it("wait together while the cloud answers nothing, and separately if it answers others", async () => {
    const id = await newScope();
    scripted.script.push("unavailable", "unavailable");
    scripted.hooks.beforePut = untilUnderWay(2);
    const runId = await set(id, { secretsManager: { A: "one", B: "two" } });
    await assert.rejects(check(id), isAbsence);
    assert.equal(await check(id), "done", "nothing was put off for itself");
    assert.deepEqual(await outcomeOf(id, runId), ["A STORED", "B STORED"]);

    scripted.script.push(...Array.from({ length: 20 }, () => "unavailable" as const));
    const many = Array.from({ length: 20 }, (_, index) => [`MANY_${index}`, "value"]);
    await set(id, { secretsManager: Object.fromEntries(many) });
    scripted.hooks.beforePut = untilUnderWay(8);
    await assert.rejects(check(id), isAbsence);
    assert.equal(scripted.script.length, 12, "eight calls were under way when the first was not answered");
    scripted.script.length = 0;
    await settle(id);

    scripted.script.push("unavailable");
    await set(id, { secretsManager: { C: "three", D: "four" } });
    scripted.hooks.beforePut = untilUnderWay(2);
    assert.deepEqual(await check(id), { runAfterMs: 375 }, "in the middle of the first backoff");
    await settle(id);
    assert.equal(cloudValues().length, 24);
  });

  it("keep the value in effect until the new one is stored, or if that fails", async () => {
    const id = await newScope();
    await set(id, { plainText: { A: "old" } });
    scripted.script.push("denied");
    pokes.length = 0;
    const runId = await set(id, { parameterStore: { A: "new" } });
    const [during] = await inForce(id);
    assert.equal(during?.plainValue, "old");
    assert.equal(during?.pendingRunId, runId);
    await settle(id);
    const [afterwards] = await inForce(id);
    assert.deepEqual([afterwards?.plainValue, afterwards?.pendingRunId], ["old", null]);
    assert.deepEqual(await outcomeOf(id, runId), ["A ACCESS_DENIED"]);
    assert.ok(pokes.some((one) => one.startsWith("aws-account ")));
  });

  it("remove a managed value that a plain one replaced, twice if an earlier call may still arrive", async () => {
    const id = await newScope();
    scripted.script.push("unavailable");
    await set(id, { parameterStore: { A: "secret" } });
    await pass(id);
    clock.advance(BACKOFF_MS);
    await pass(id);
    assert.deepEqual(cloudValues(), ["secret"]);
    await set(id, { plainText: { A: "plain" } });
    const result = await pass(id);
    assert.deepEqual(cloudValues(), []);
    // A straggler: a put of the old value arrives after all.
    scripted.values.set("straggler", { value: "secret", tokens: [] });
    assert.notEqual(result, "done");
    clock.advance(STRAGGLER_MS);
    scripted.values.clear();
    assert.equal(await pass(id), "done");
    assert.deepEqual(
      (await inForce(id)).map(({ name, state }) => `${name} ${state}`),
      ["A STORED"],
    );
  });

  it("are removed once, and may be set again at once, if the outcome of every call is known", async () => {
    const id = await newScope();
    await set(id, { secretsManager: { A: "old" } });
    await pass(id);
    await remove(id, "A");
    assert.equal(await pass(id), "done");
    await set(id, { secretsManager: { A: "new" } });
    assert.equal(await pass(id), "done");
    assert.deepEqual(cloudValues(), ["new"]);
  });

  it("are put again only when a removal by a dead process can no longer arrive", async () => {
    const id = await newScope();
    await set(id, { secretsManager: { A: "old" } });
    await pass(id);
    await remove(id, "A");
    let straggler: (() => void) | undefined;
    scripted.hooks.beforeDelete = (takeEffect) => {
      scripted.hooks.beforeDelete = null;
      straggler = takeEffect;
      return Promise.reject(new Error("The process was killed."));
    };
    await assert.rejects(pass(id));
    // With another removal between, as another worker makes it, and without.
    for (const hasAnother of [true, false]) {
      if (hasAnother) assert.deepEqual(await pass(id), { runAfterMs: STRAGGLER_MS });
      const runId = await set(id, { secretsManager: { A: "new" } });
      assert.deepEqual(await pass(id), { runAfterMs: STRAGGLER_MS });
      assert.ok((await outcomeOf(id, runId))[0]?.endsWith("WAITING"));
      if (hasAnother) await remove(id, "A");
    }
    straggler?.();
    clock.advance(STRAGGLER_MS);
    assert.equal(await pass(id), "done");
    assert.deepEqual(cloudValues(), ["new"]);
    assert.deepEqual(
      (await inForce(id)).map(({ name, state }) => `${name} ${state}`),
      ["A STORED"],
    );
  });

  it("settle an attempt of unknown outcome before a newer value goes to the same place", async () => {
    const id = await newScope();
    scripted.script.push("unavailable");
    const first = await set(id, { secretsManager: { A: "old" } });
    await pass(id);
    const second = await set(id, { secretsManager: { A: "new" } });
    await settle(id);
    assert.deepEqual(await outcomeOf(id, first), ["A SUPERSEDED"]);
    assert.deepEqual(await outcomeOf(id, second), ["A STORED"]);
    assert.deepEqual(cloudValues(), ["new"]);
    // The straggler of the first attempt finds its token used.
    assert.deepEqual(versions(), [2]);
  });

  it("make no call for an item that was superseded before its first call, and drop the sealed value at once", async () => {
    const id = await newScope();
    const first = await set(id, { secretsManager: { A: "old" } });
    await set(id, { secretsManager: { A: "new" } });
    assert.deepEqual(await outcomeOf(id, first), ["A SUPERSEDED"]);
    assert.equal((await db.query(COUNT_SEALED, [id]))[0]?.count, 1);
    await settle(id);
    assert.equal((await db.query(COUNT_SEALED, [id]))[0]?.count, 0);
    assert.deepEqual(versions(), [1]);
  });

  it("let the write with the later generation win, even if it commits first", async () => {
    const id = await newScope();
    const slow = await prepare(id, { parameterStore: { A: "slow" } });
    await set(id, { plainText: { A: "fast" } });
    await db.transaction((tx) => setVariables(tx, jobs, [{ ...slow, actor }]));
    await settle(id);
    assert.deepEqual(
      (await inForce(id)).map(({ plainValue }) => plainValue),
      ["fast"],
    );
    assert.deepEqual(await outcomeOf(id, slow.run?.id ?? null), ["A SUPERSEDED"]);
    assert.deepEqual(cloudValues(), []);
  });

  it("undo a put during which the name was deleted", async () => {
    const id = await newScope();
    const runId = await set(id, { parameterStore: { A: "secret" } });
    scripted.hooks.beforePut = async () => {
      scripted.hooks.beforePut = null;
      assert.equal((await remove(id, "A"))?.state, "REMOVING");
    };
    await settle(id);
    assert.deepEqual(await outcomeOf(id, runId), ["A SUPERSEDED"]);
    assert.deepEqual(await inForce(id), []);
    assert.deepEqual(cloudValues(), []);
  });

  it("supersede a put during which a plain value was accepted, and remove it", async () => {
    const id = await newScope();
    const runId = await set(id, { parameterStore: { A: "secret" } });
    scripted.hooks.beforePut = async () => {
      scripted.hooks.beforePut = null;
      await set(id, { plainText: { A: "plain" } });
    };
    await settle(id);
    assert.deepEqual(await outcomeOf(id, runId), ["A SUPERSEDED"]);
    assert.deepEqual(
      (await inForce(id)).map(({ plainValue }) => plainValue),
      ["plain"],
    );
    assert.deepEqual(cloudValues(), []);
  });

  it("give up a run after a day, or with its key", async () => {
    const id = await newScope();
    scripted.script.push("unavailable");
    const late = await set(id, { parameterStore: { A: "secret" } });
    await pass(id);
    clock.advance(24 * 3_600_000);
    await settle(id);
    assert.deepEqual(await outcomeOf(id, late), ["A EXPIRED"]);

    const keyless = await set(id, { parameterStore: { B: "secret" } });
    for (const epochId of await db.query(LIST_EPOCHS, [id])) {
      await rm(path.join(folder, "keys", `${epochId.epochId}.key`), { force: true });
    }
    await settle(id);
    assert.deepEqual(await outcomeOf(id, keyless), ["B KEY_DESTROYED"]);
    assert.deepEqual(cloudValues(), []);
  });

  it("leave nothing in the cloud when the project is deleted, although its rows are deleted", async () => {
    const id = await newScope();
    await set(id, { parameterStore: { A: "one" }, secretsManager: { B: "two" } });
    await settle(id);
    await set(id, { parameterStore: { C: "three" } });
    pokes.length = 0;
    await db.transaction(async (tx) => {
      await tx.query(DELETE_ENVIRONMENT, [actor.organizationId, id]);
      await removeProjectVariables(tx, jobs, actor.organizationId, projectId);
    });
    assert.ok(pokes.includes(`variable-scope ${id}`));
    await settle(id);
    assert.deepEqual(cloudValues(), []);
  });

  it("end as the newest accepted writes, whatever happens in between, with nothing left in the cloud", async () => {
    const name = fc.constantFrom("A", "B");
    const text = fc.string({ minLength: 1, maxLength: 8 }).filter((value) => value.isWellFormed());
    const command = fc.oneof(
      fc.record({ kind: fc.constantFrom("plainText", "parameterStore", "secretsManager"), name, text }),
      fc.record({ kind: fc.constant("delete"), name }),
      fc.record({
        kind: fc.constant("pass"),
        outcomes: fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 4 }),
      }),
      fc.record({ kind: fc.constant("crash") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
        const id = await newScope();
        /** The content of each accepted write, newest last; null is a deletion. */
        const wishes: { name: string; runId: string | null; kind: string; text: string | null }[] = [];
        const stragglers: (() => void)[] = [];
        for (const step of commands) {
          if ("text" in step) {
            const runId = await set(id, { [step.kind]: { [step.name]: step.text } });
            wishes.push({ ...step, runId });
          } else if ("name" in step) {
            await remove(id, step.name).catch((error: unknown) => {
              if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
            });
            wishes.push({ name: step.name, runId: null, kind: "delete", text: null });
          } else if ("outcomes" in step) {
            scripted.script.push(...step.outcomes);
            await pass(id);
          } else {
            // The process dies with a call on its way, which arrives later, and nothing of it is recorded.
            const die = (takeEffect: () => void) => {
              stragglers.push(takeEffect);
              scripted.hooks.beforePut = null;
              scripted.hooks.beforeDelete = null;
              return Promise.reject(new Error("The process was killed."));
            };
            scripted.hooks.beforePut = die;
            scripted.hooks.beforeDelete = die;
            await pass(id).catch(() => undefined);
            scripted.hooks.beforePut = null;
            scripted.hooks.beforeDelete = null;
          }
          if (stragglers.length > 1) stragglers.shift()?.();
        }
        for (const takeEffect of stragglers) takeEffect();
        scripted.script.length = 0;
        await settle(id);

        const expected = new Map<string, string>();
        for (const wish of wishes) {
          const [outcome] = wish.runId === null ? [] : await outcomeOf(id, wish.runId);
          assert.doesNotMatch(outcome ?? "", /WAITING/);
          if (wish.text === null) expected.delete(wish.name);
          else if (outcome === undefined || outcome.endsWith(" STORED")) {
            expected.set(wish.name, `${wish.kind} ${wish.text}`);
          }
        }
        const listed = await inForce(id);
        const shown = listed.map((variable) => {
          const text = variable.plainValue ?? scripted.values.get(variable.reference ?? "")?.value;
          return [variable.name, `${variable.kind} ${text}`] as const;
        });
        assert.deepEqual(new Map(shown), expected);
        assert.ok(listed.every(({ state, pendingRunId }) => state === "STORED" && pendingRunId === null));
        const used = listed.flatMap(({ reference }) => (reference === null ? [] : [reference]));
        assert.deepEqual([...scripted.values.keys()].sort(), used.sort());
        assert.equal((await db.query(COUNT_SEALED, [id]))[0]?.count, 0);
      }),
      {
        numRuns: 60,
        examples: [
          // A put of what was deleted since arrives after the next one has ended.
          [
            [
              { kind: "parameterStore", name: "A", text: "old" },
              { kind: "crash" },
              { kind: "delete", name: "A" },
              { kind: "parameterStore", name: "A", text: "new" },
              { kind: "pass", outcomes: [] },
            ],
          ],
          // A put arrives whose repetition was denied.
          [
            [
              { kind: "secretsManager", name: "A", text: "old" },
              { kind: "pass", outcomes: [] },
              { kind: "secretsManager", name: "A", text: "new" },
              { kind: "crash" },
              { kind: "pass", outcomes: ["denied"] },
            ],
          ],
          [
            [
              { kind: "parameterStore", name: "A", text: "old" },
              { kind: "crash" },
              { kind: "parameterStore", name: "A", text: "new" },
              { kind: "pass", outcomes: ["denied"] },
            ],
          ],
        ],
      },
    );
  });
});

const COUNT_SEALED = readStatement<{ count: number }>(
  "test_count_sealed",
  `SELECT count(sealed)::int AS count FROM env_variable_run_items WHERE scope_id = $1`,
);
const LIST_EPOCHS = readStatement<{ epochId: string }>(
  "test_list_epochs",
  `SELECT epoch_id AS "epochId" FROM env_variable_runs WHERE scope_id = $1`,
);
const INSERT_ENVIRONMENT = writeStatement(
  "test_insert_environment",
  `INSERT INTO environments (organization_id, id, project_id, config_id, name, region, branch, deploy_trigger)
   VALUES ($1, $2, $3, $2, 'Test', 'us-west-2', 'main', 'manual')`,
);
const DELETE_ENVIRONMENT = writeStatement(
  "test_delete_environment",
  "DELETE FROM environments WHERE organization_id = $1 AND id = $2",
);
const INSERT_ACCOUNT = writeStatement(
  "test_insert_account",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status, connected_aws_account_id, role_arn)
   VALUES ($1, $2, 'test', 'Test', 'CONNECTED', '123456789012', 'arn:aws:iam::123456789012:role/slipway')`,
);
const INSERT_PROJECT = writeStatement(
  "test_insert_project",
  `INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
                         config_type, config)
   VALUES ($1, $2, 'Test', $3, 'https://git.sandbox.test/demo.git', 'git.sandbox.test/demo', 'provider_a', '', 'gui',
           '{}')`,
);

const INSERT_INTEGRATION = writeStatement(
  "test_insert_integration",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token)
   VALUES ($1, $2, 'provider_a', '', '')`,
);

async function insertProject(db: Database, organizationId: string): Promise<string> {
  const awsAccountId = newConnectionId();
  const projectId = newId("proj");
  await db.query(INSERT_ACCOUNT, [organizationId, awsAccountId]);
  await db.query(INSERT_INTEGRATION, [organizationId, newId("git")]);
  await db.query(INSERT_PROJECT, [organizationId, projectId, awsAccountId]);
  return projectId;
}
