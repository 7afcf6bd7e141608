/**
 * The reconcilers of a group and of its distribution on a real database, against a model of the cloud
 * whose every answer the test chooses.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import { copyPgliteTemplate, makeTempDir } from "../../../../test/helpers/template.ts";
import { type Actor, FULL_ACCESS } from "../../../lib/actor.ts";
import { type Database, readStatement, writeStatement } from "../../../db/database.ts";
import { openPgliteDatabase } from "../../../db/drivers/pglite.ts";
import { createDefaultDistribution } from "../../distributions/commands.ts";
import { reconcileDistribution } from "../../distributions/reconcile-distribution.ts";
import { AppError } from "../../../lib/errors.ts";
import type { EntityRef, Jobs, Reconcile } from "../../../jobs/jobs.ts";
import { stepsInARow } from "../../../jobs/testing.ts";
import { createOrganization } from "../../organizations/commands.ts";
import { createTestClock } from "../../../sealing/testing.ts";
import {
  addDomains,
  createGroup,
  deleteDomain,
  deleteGroup,
  enqueueGroupsOfDistribution,
  resumeGroupsOfAccount,
  retryAttachment,
} from "../commands.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import type { Domain } from "../custom-domain.ts";
import { reconcileGroup } from "./reconcile-group.ts";
import { changeGroup, planCertificate } from "./record-group.ts";
import { certificates } from "./certificate-store.ts";
import { warningsOf } from "../warnings.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { domains, groups } from "../store.ts";
import { createModelCloud, NAME_SERVER } from "./testing/cloud.ts";
import { insertProject, insertService } from "./testing/rows.ts";
import { HOUR_MS, NAMES, type Step, STEP, type UserStep } from "./testing/steps.ts";

const MISS_RECORDS = writeStatement(
  "test_miss_records",
  `UPDATE dns_records SET last_check_at = now(), last_check_error = '{"code":"NOT_FOUND"}'
    WHERE domain_id IN (SELECT id FROM domains WHERE group_id = $1)`,
);
/** One less than there are names, so that the quota is met. */
const QUOTA = 3;
/** Nothing but the daily look at the certificate is further off than this. */
const AT_REST_MS = 12 * HOUR_MS;

describe("a group against a model of the cloud", () => {
  const clock = createTestClock();
  let folder: string;
  let db: Database;
  let actor: Actor;
  let projectId: string;
  let awsAccountId: string;

  before(async () => {
    folder = await makeTempDir("groups");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Test", null));
    actor = {
      organizationId,
      userId: "user_1",
      credential: { kind: "api-key", id: "key_1" },
      role: "admin",
      access: FULL_ACCESS,
      requestId: "request",
    };
    ({ projectId, awsAccountId } = await insertProject(db, organizationId));
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A separate group, with everything that happens to it. */
  async function startScenario(names: readonly string[], autoDns = false) {
    const { organizationId } = actor;
    const model = createModelCloud(clock, QUOTA);
    const due = new Map<string, { kind: string; ref: EntityRef; at: number; failures: number }>();
    const jobs: Jobs = {
      enqueue(_tx, kind, ref) {
        if (kind === "distribution" || kind === "domain-certificate-group")
          due.set(ref.id, { kind, ref, at: clock.now().getTime(), failures: 0 });
        return Promise.resolve();
      },
    };
    const power = { isOff: false, isDnsSilent: false };
    /** What the next lookups of CAA records find; then none that refuses. */
    const caaAnswers: (CaaRefusal | undefined)[] = [];
    const powered = cutOff(db, power);
    const reconcilers: Record<string, Reconcile> = {
      "domain-certificate-group": reconcileGroup({
        db: powered,
        cloud: model.cloud,
        clock,
        jobs,
        dns: {
          findDelegation: (name) =>
            Promise.resolve({ zone: name.split(".").slice(-2).join("."), nameServers: [NAME_SERVER] }),
          findEndedWildcard: () => Promise.resolve(power.isDnsSilent ? undefined : null),
          findCaaRefusal: () => Promise.resolve(caaAnswers.length > 0 ? caaAnswers.shift() : null),
        },
        validationWindowMs: 72 * HOUR_MS,
      }),
      distribution: reconcileDistribution({
        db: powered,
        cloud: model.cloud,
        clock,
        jobs,
        findAccess: () => Promise.resolve(null),
        onChanged: (tx, distribution) => enqueueGroupsOfDistribution(tx, jobs, distribution),
      }),
    };
    const serviceId = await insertService(db, organizationId, projectId);
    const named = (wanted: readonly string[]) => wanted.map((name) => ({ name, type: "SUBDOMAIN" }) as const);
    const { group } = await db.transaction((tx) =>
      createGroup(tx, jobs, actor, serviceId, {
        names: named(names),
        useDefaultCdn: false,
        name: null,
        autoDns,
      }),
    );
    const groupId = group.id;
    const members = (): Promise<Domain[]> => domains.listAll(db, organizationId, groupId);

    model.hooks.onTakenOff = async (taken) => {
      for (const { name, status, isDesired } of await members()) {
        if (taken.includes(name) && isDesired && status === "ATTACHED")
          model.breaches.push(`${name} was taken out of service`);
      }
    };

    const user = {
      add: (name: string) =>
        asked(() => db.transaction((tx) => addDomains(tx, jobs, actor, groupId, named([name])))),
      delete: (name: string) =>
        asked(async () => {
          const domain = (await members()).find((member) => member.name === name);
          if (domain !== undefined)
            await db.transaction((tx) => deleteDomain(tx, jobs, actor, groupId, domain.id));
        }),
      retry: () => asked(() => db.transaction((tx) => retryAttachment(tx, jobs, actor, groupId))),
      deleteGroup: () =>
        asked(async () => {
          await db.transaction((tx) => deleteGroup(tx, jobs, actor, groupId));
          asks.deletion = true;
        }),
    };
    const asks = { deletion: false };

    /** Runs what is due first, with the steps that follow at once. @returns false when nothing is due now */
    async function pass(): Promise<boolean> {
      const [next] = [...due.values()].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > clock.now().getTime()) return false;
      due.delete(next.ref.id);
      let runAfterMs: number | null;
      let failures = 0;
      try {
        const reconcile = reconcilers[next.kind];
        assert.ok(reconcile !== undefined, next.kind);
        const result = await stepsInARow(reconcile)(next.ref, new AbortController().signal);
        runAfterMs = result === "done" ? null : result.runAfterMs;
      } catch {
        failures = next.failures + 1;
        runAfterMs = Math.min(300_000, 250 * 2 ** failures);
      }
      power.isOff = false;
      // An enqueue in the meantime makes it due now.
      if (runAfterMs !== null && !due.has(next.ref.id))
        due.set(next.ref.id, { ...next, at: clock.now().getTime() + runAfterMs, failures });
      await checkInvariants();
      return true;
    }

    async function checkInvariants(): Promise<void> {
      assert.deepEqual(model.breaches, []);
      const group = await groups.find(db, organizationId, groupId);
      if (group?.isDeleting === true) assert.equal(group.status, "DELETING");
      for (const { name, status, isDesired } of await members()) {
        const isLeaving = status === "DETACHING" || status === "ERROR_DETACHING";
        assert.equal(isLeaving, !isDesired, `${name} is ${status}`);
      }
      const rows = await certificates.list(db, organizationId, groupId);
      const live = rows.filter((row) => !row.isAbandoned);
      // The certificate in use, the next one, a helpful one before it, and one kept for a retry.
      assert.ok(live.length <= 4, `${live.length} certificates are kept`);
      const aliases = [...model.distributions.values()].flatMap((distribution) => distribution.aliases);
      const [distribution] = model.distributions.values();
      if (distribution === undefined) return;
      const serving = rows.find(({ providerId }) => providerId === distribution.certificateId);
      const isNeeded = distribution.certificateId !== null && serving?.isAbandoned === true;
      assert.ok(!isNeeded, "the certificate that serves is given up");
      for (const { name, status } of await members()) {
        if (status === "ATTACHED") assert.ok(aliases.includes(name), `${name} is ATTACHED and not served`);
      }
    }

    /** Passes until only the daily look is ahead, on a clock that goes ever faster. */
    async function settle(): Promise<void> {
      for (let passes = 0; passes < 400; passes += 1) {
        if (await pass()) continue;
        const next = Math.min(...[...due.values()].map(({ at }) => at));
        const aheadMs = next - clock.now().getTime();
        if (aheadMs >= AT_REST_MS) return;
        clock.advance(passes < 40 ? aheadMs : Math.max(aheadMs, 6 * HOUR_MS));
      }
      const [row] = await db.query(DESCRIBE, [organizationId, groupId]);
      assert.fail(`the group never comes to rest: ${JSON.stringify([row, ...(await members())])}`);
    }

    return { model, user, pass, settle, members, groupId, power, due, asks, caaAnswers };
  }
  type Scenario = Awaited<ReturnType<typeof startScenario>>;

  /** What must hold of a group at rest. */
  async function checkAtRest({ model, members, groupId, asks }: Scenario): Promise<void> {
    const { organizationId } = actor;
    const [distribution] = [...model.distributions.values()];
    const all = await members();
    const rows = await certificates.list(db, organizationId, groupId);
    const group = await groups.find(db, organizationId, groupId);
    if (group === null || asks.deletion) {
      assert.equal(group, null, "a deleted group has no row");
      assert.deepEqual([...model.certificates.values()], [], "a deleted group leaves no certificate");
      assert.deepEqual([...model.distributions.values()], [], "a deleted group leaves no distribution");
      return;
    }
    for (const { name, status, isDesired } of all) {
      assert.ok(isDesired, `${name} has no row once its deletion is done`);
      assert.ok(["ATTACHED", "ERROR_ATTACHING"].includes(status), `${name} is ${status} at rest`);
    }
    const attached = all.filter(({ status }) => status === "ATTACHED").map(({ name }) => name);
    const proven = (await db.query(LIST_PROVEN, [organizationId])).map(({ name }) => name);
    assert.deepEqual(
      attached.filter((name) => !proven.includes(name)),
      [],
      "what is served was claimed",
    );
    assert.deepEqual([...(distribution?.aliases ?? [])].sort(), attached.sort());
    assert.equal(group.status, attached.length > 0 ? "ACTIVE" : all.length === 0 ? "DRAFT" : "ERROR");
    assert.deepEqual(
      [...model.certificates.keys()].sort(),
      rows.flatMap(({ providerId }) => providerId ?? []).sort(),
      "every certificate is known",
    );
    const mayKeep = all.some(
      ({ lastAttachmentError }) => lastAttachmentError?.code.startsWith("Cloud:C") === true,
    );
    const served = attached.length > 0 ? 1 : 0;
    assert.ok(
      rows.length >= served && rows.length <= served + (mayKeep ? 1 : 0),
      `${rows.length} certificates at rest`,
    );
    for (const domain of all.filter(({ status }) => status === "ATTACHED")) {
      const records = await dnsRecords.list(db, organizationId, [domain.id]);
      assert.deepEqual(
        records.map(({ purpose }) => purpose).sort(),
        ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"],
        `${domain.name} shows both of its records`,
      );
    }
  }

  async function play(scenario: Scenario, step: Step): Promise<void> {
    const { model, user, pass, power } = scenario;
    const { world } = model;
    switch (step.kind) {
      case "pass":
        model.script.push(...step.answers);
        for (let count = 0; count < 4; count += 1) await pass();
        model.script.length = 0;
        return;
      case "crash":
        // The process dies once the next change has reached the cloud, before anything of it is recorded.
        model.hooks.afterEffect = () => {
          power.isOff = true;
        };
        for (let count = 0; count < 4; count += 1) await pass();
        model.hooks.afterEffect = null;
        return;
      case "during":
        // A client's request comes in between what was read and what is done about it.
        for (let count = 0; count < step.passes; count += 1) await pass();
        model.hooks.beforeAnswer = () => act(user, step);
        for (let count = 0; count < 4; count += 1) await pass();
        model.hooks.beforeAnswer = null;
        return;
      case "user":
        return await act(user, step);
      case "toggle":
        if (!world[step.what].delete(step.name)) world[step.what].add(step.name);
        return;
      case "vanish":
        model.loseUnused();
        return;
      case "expire":
        for (const certificate of model.certificates.values())
          if (certificate.status === "ISSUED") certificate.status = "EXPIRED";
        return;
      case "renew":
        for (const certificate of model.certificates.values())
          if (certificate.status === "ISSUED") certificate.renewalStatus = "PENDING_VALIDATION";
        return;
      case "removeDistribution":
        model.distributions.clear();
        return;
      case "wait":
        clock.advance(step.ms);
        world.deployMs = step.ms % 7 === 0 ? 0 : 20_000;
    }
  }

  it("finds the one name that fails the certificate of all, though neither provider nor DNS names it", async () => {
    const names = Array.from({ length: QUOTA }, (_, index) => `n${index}.example.com`);
    for (const guilty of names) {
      const scenario = await startScenario(names);
      scenario.model.world.recordsOf = new Set(names);
      scenario.model.world.refusedByCaa.add(guilty);
      await scenario.settle();
      await checkAtRest(scenario);
      for (const { name, status, isHeldBack } of await scenario.members()) {
        assert.equal(
          status,
          name === guilty ? "ERROR_ATTACHING" : "ATTACHED",
          `${name}, if ${guilty} is guilty`,
        );
        assert.equal(isHeldBack, false);
      }
      await clear(db, scenario.groupId);
    }
  });

  it("asks again for CAA records that could not be read, before it says that none refuses", async () => {
    const [name = ""] = NAMES;
    const refusal = {
      at: name,
      owner: name,
      found: ['0 issue "other.example"'],
      setAt: name,
      value: '0 issue "ca.example"',
      message: `The CAA records at ${name} refuse.`,
      action: `Add a CAA record at ${name}.`,
    };
    for (const unread of [2, 3]) {
      const { model, settle, members, groupId, caaAnswers } = await startScenario([name]);
      model.world.recordsOf = new Set([name]);
      model.world.refusedByCaa.add(name);
      caaAnswers.push(...Array.from({ length: unread }, () => undefined), refusal);
      await settle();
      const [domain] = await members();
      assert.equal(domain?.lastAttachmentError?.code, "Cloud:CERT:Error:CAA_BLOCKED");
      assert.match(
        domain.lastAttachmentError.message,
        unread === 2 ? /^The CAA records at .* refuse\.$/ : /none that refuses, or cannot read them/,
      );
      await clear(db, groupId);
    }
  });

  it("serves the names whose records are set long before the certificate of all of them times out", async () => {
    const names = ["set-1.example.com", "set-2.example.com", "unset.example.com"];
    const { model, pass, members, due, groupId } = await startScenario(names);
    model.world.recordsOf = new Set(names.slice(0, 2));
    const endsAt = new Date(clock.now().getTime() + 15 * 60_000);
    while (clock.now() < endsAt) {
      if (await pass()) continue;
      clock.advance(Math.min(...[...due.values()].map(({ at }) => at)) - clock.now().getTime());
    }
    const found = (await members()).map(({ name, status }) => `${name} ${status}`);
    const [first, second, unset] = names;
    assert.deepEqual(found, [
      `${first} ATTACHED`,
      `${second} ATTACHED`,
      `${unset} AWAITING_VERIFICATION_RECORDS_TO_BE_SET`,
    ]);
    await clear(db, groupId);
  });

  it("does not call a record missing that only its own check missed before the domain was attached", async () => {
    const [name = ""] = NAMES;
    const { model, pass, settle, members, groupId } = await startScenario([name]);
    model.world.recordsOf = new Set();
    while (await pass());
    await db.query(MISS_RECORDS, [groupId]);
    model.world.recordsOf = new Set([name]);
    await settle();
    const [domain] = await members();
    assert.equal(domain?.status, "ATTACHED");
    const records = await dnsRecords.list(db, actor.organizationId, [domain.id]);
    assert.deepEqual(warningsOf(domain, records), []);
    await clear(db, groupId);
  });

  it("sets the records of its domains once ten minutes of throttling have ended, and meanwhile does the rest", async () => {
    const { model, user, settle, members, pass, due } = await startScenario(NAMES.slice(0, 2), true);
    const endsAt = new Date(clock.now().getTime() + 10 * 60_000);
    model.world.zoneThrottledUntil = endsAt;
    while (clock.now() < endsAt) {
      if (await pass()) continue;
      clock.advance(Math.min(...[...due.values()].map(({ at }) => at)) - clock.now().getTime());
      const isOver = clock.now() >= endsAt;
      if (!isOver) assert.deepEqual(model.zoneRecords, []);
    }
    const waiting = (await members()).map(({ status }) => status);
    assert.deepEqual(
      waiting,
      NAMES.slice(0, 2).map(() => "AWAITING_VERIFICATION_RECORDS_TO_BE_SET"),
    );
    await settle();
    for (const { name, status, zoneState } of await members()) {
      assert.equal(status, "ATTACHED", name);
      assert.equal(zoneState?.problem, null);
      const set = zoneState.records.map((one) => `${one.name} ${one.status}`).toSorted();
      assert.deepEqual(set, [`_x.${name} SET`, `${name} SET`]);
    }
    assert.equal(model.zoneRecords.length, 4);
    await user.deleteGroup();
    await settle();
    assert.deepEqual(model.zoneRecords, []);
  });

  it("sets no record while the DNS does not say whether a wildcard would end", async () => {
    const { model, user, settle, members, pass, due, power } = await startScenario(NAMES.slice(0, 1), true);
    power.isDnsSilent = true;
    const endsAt = new Date(clock.now().getTime() + 10 * 60_000);
    while (clock.now() < endsAt) {
      if (await pass()) continue;
      clock.advance(Math.min(...[...due.values()].map(({ at }) => at)) - clock.now().getTime());
    }
    assert.deepEqual(model.zoneRecords, []);
    power.isDnsSilent = false;
    await settle();
    assert.deepEqual(
      (await members()).map(({ status }) => status),
      ["ATTACHED"],
    );
    await user.deleteGroup();
    await settle();
  });

  it("serves a new name while the records of a leaving one cannot be removed, and removes them later", async () => {
    const [leaving = "", added = ""] = NAMES;
    const scenario = await startScenario([leaving], true);
    const { model, user, settle, pass, members, due } = scenario;
    await settle();
    const { throttledNames } = model.world;
    throttledNames.add(leaving).add(`_x.${leaving}`);
    await user.delete(leaving);
    await user.add(added);
    const endsAt = clock.now().getTime() + 30 * 60_000;
    while (clock.now().getTime() < endsAt) {
      if (await pass()) continue;
      clock.advance(Math.min(...[...due.values()].map(({ at }) => at)) - clock.now().getTime());
    }
    const found = (await members()).map(({ name, status }) => `${name} ${status}`).toSorted();
    assert.deepEqual(found, [`${leaving} DETACHING`, `${added} ATTACHED`].toSorted());
    const aliases = [...model.distributions.values()].flatMap((one) => one.aliases);
    assert.deepEqual(aliases.toSorted(), [leaving, added].toSorted(), "what records lead to is served");
    throttledNames.clear();
    await settle();
    assert.deepEqual(
      (await members()).map(({ name }) => name),
      [added],
    );
    assert.deepEqual(model.zoneRecords.map(({ name }) => name).toSorted(), [`_x.${added}`, added].toSorted());
    await checkAtRest(scenario);
    await user.deleteGroup();
    await settle();
    assert.deepEqual(model.zoneRecords, []);
  });

  it("sets the records of one name while the zone of another cannot be changed", async () => {
    const [stuck, free] = ["stuck.example.com", "free.example.net"];
    const { model, user, settle, pass, members, due } = await startScenario([stuck, free], true);
    model.world.throttledNames.add(`_x.${stuck}`);
    const endsAt = clock.now().getTime() + 30 * 60_000;
    while (clock.now().getTime() < endsAt) {
      if (await pass()) continue;
      clock.advance(Math.min(...[...due.values()].map(({ at }) => at)) - clock.now().getTime());
    }
    const found = (await members()).map(({ name, status }) => `${name} ${status}`).toSorted();
    assert.deepEqual(found, [`${free} ATTACHED`, `${stuck} AWAITING_VERIFICATION_RECORDS_TO_BE_SET`]);
    model.world.throttledNames.clear();
    await settle();
    assert.deepEqual(new Set((await members()).map(({ status }) => status)), new Set(["ATTACHED"]));
    await user.deleteGroup();
    await settle();
  });

  it("leaves the verification record of a name that another certificate of the account needs", async () => {
    const [kept = "", removed = ""] = NAMES;
    const { model, user, settle, groupId } = await startScenario([kept, removed], true);
    await settle();
    const [own] = model.certificates.values();
    assert.ok(own !== undefined);
    const other = { ...own, id: "arn:other", token: "other", names: [`*.${kept}`, "else.example.com"] };
    const expired = {
      ...own,
      id: "arn:expired",
      token: "expired",
      names: [removed],
      status: "EXPIRED",
    } as const;
    for (const one of [other, expired]) model.certificates.set(one.id, one);
    await user.deleteGroup();
    await settle();
    assert.deepEqual(
      model.zoneRecords.map(({ name }) => name),
      [`_x.${kept}`],
    );
    await clear(db, groupId);
  });

  it("sets and removes each record once, though the worker dies after each change of the zone", async () => {
    const { model, user, settle, members, power } = await startScenario(NAMES.slice(0, 2), true);
    let deaths = 0;
    let known = 0;
    model.hooks.afterEffect = () => {
      if (model.zoneRecords.length === known) return;
      known = model.zoneRecords.length;
      deaths += 1;
      power.isOff = true;
    };
    await settle();
    for (const { name, status, zoneState } of await members()) {
      assert.equal(status, "ATTACHED", name);
      const set = zoneState?.records.map((one) => `${one.name} ${one.status}`).toSorted();
      assert.deepEqual(set, [`_x.${name} SET`, `${name} SET`]);
    }
    assert.equal(model.zoneRecords.length, 4);
    await user.deleteGroup();
    await settle();
    assert.deepEqual(model.zoneRecords, []);
    assert.deepEqual(await members(), []);
    // Both first records in one call, then both others; each is deleted in its own call.
    assert.equal(deaths, 2 + 4);
  });

  it("keeps its promises whatever its clients, the cloud and the outside world do, and always comes to rest", async () => {
    const endAt = performance.now() + BUDGET_MS;
    let played = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(NAMES, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        fc.array(STEP, { minLength: 1, maxLength: 14 }),
        async (names, isServed, steps) => {
          if (played >= PLAYED_LEAST && performance.now() > endAt) return;
          const scenario = await startScenario(names);
          const { model, user, settle } = scenario;
          try {
            if (isServed) {
              model.world.recordsOf = new Set(names);
              await settle();
            }
            for (const step of steps) await play(scenario, step);
            await settle();
            // What the world did to a group at rest is found by the daily look.
            clock.advance(25 * HOUR_MS);
            await settle();
            await checkAtRest(scenario);

            // When nothing prevents it, a retry brings everything within the quota into service.
            model.world.recordsOf = new Set(NAMES);
            model.world.refusedByCaa.clear();
            model.world.elsewhere.clear();
            const kept = (await scenario.members()).slice(0, QUOTA).map(({ name }) => name);
            for (const { name } of (await scenario.members()).slice(QUOTA)) await user.delete(name);
            await settle();
            await user.retry();
            await settle();
            clock.advance(25 * HOUR_MS);
            await settle();
            await checkAtRest(scenario);
            for (const { name, status } of await scenario.members())
              assert.equal(status, "ATTACHED", `${name} comes into service`);
            assert.deepEqual(
              (await scenario.members()).map(({ name }) => name),
              kept,
            );
            for (const { status } of model.certificates.values()) assert.equal(status, "ISSUED");

            await user.deleteGroup();
            await settle();
            await checkAtRest(scenario);
            assert.equal(await groups.find(db, actor.organizationId, scenario.groupId), null);
            assert.deepEqual(await db.query(LIST_PROVEN, [actor.organizationId]), []);
            played += 1;
          } finally {
            await clear(db, scenario.groupId);
          }
        },
      ),
      // Without looking for a shorter sequence, which takes longer than a test may.
      { numRuns: 500, endOnFailure: true, ...SEED },
    );
    assert.ok(played >= PLAYED_LEAST, `only ${played} sequences were played to their end`);
  });

  for (const isGroupGone of [false, true]) {
    it(`leaves no certificate of a request that arrived when others had ended ${isGroupGone ? "the group" : "the attempt"}`, async () => {
      const { model, groupId, settle, user } = await startScenario([NAMES[0] ?? ""]);
      const { organizationId } = actor;
      model.world.recordsOf = new Set(NAMES);
      const certificatesOfCloud = model.cloud.certificates;
      const request: typeof certificatesOfCloud.request =
        certificatesOfCloud.request.bind(certificatesOfCloud);
      let made: string | undefined;
      Object.assign(certificatesOfCloud, {
        request: async (...args: Parameters<typeof request>) => {
          Object.assign(certificatesOfCloud, { request });
          for (const row of await certificates.list(db, organizationId, groupId))
            await certificates.delete(db, row);
          if (isGroupGone) {
            for (const { id } of await domains.listAll(db, organizationId, groupId))
              await db.transaction((tx) => domains.delete(tx, { organizationId, id }));
            await db.transaction((tx) => groups.delete(tx, { organizationId, id: groupId }));
          }
          const answer = await request(...args);
          made = answer.id;
          return answer;
        },
      });
      await settle();
      assert.ok(made !== undefined && !model.certificates.has(made));
      assert.equal(model.certificates.size, isGroupGone ? 0 : 1);
      if (!isGroupGone) await user.deleteGroup();
      await settle();
      assert.equal(model.certificates.size, 0);
    });
  }

  it("keeps in service what others put there while a worker stood still", async () => {
    const [first = "", second = ""] = NAMES;
    const scenario = await startScenario([first]);
    const { model, user, due, groupId, settle, pass, members } = scenario;
    model.world.recordsOf = new Set(NAMES);
    await settle();
    model.hooks.beforeAnswer = async () => {
      await user.add(second);
      await settle();
      await user.delete(first);
      await settle();
    };
    const ref = { organizationId: actor.organizationId, id: groupId };
    due.set(groupId, { kind: "domain-certificate-group", ref, at: clock.now().getTime(), failures: 0 });
    // The worker has read that only the first name is wanted, and now asks the cloud.
    await pass();
    assert.deepEqual(model.breaches, []);
    assert.deepEqual(
      [...model.distributions.values()].map(({ aliases }) => aliases),
      [[second]],
    );
    assert.deepEqual(
      (await members()).map(({ name, status }) => `${name} ${status}`),
      [`${second} ATTACHED`],
    );
    await settle();
    await checkAtRest(scenario);
    await clear(db, groupId);
  });

  it("that is deleted at once gets no certificate that a worker was about to plan", async () => {
    const { organizationId } = actor;
    const jobs: Jobs = { enqueue: () => Promise.resolve() };
    const service = { organizationId, id: await insertService(db, organizationId, projectId) };
    const name = NAMES[0] ?? "";
    const { group, created } = await db.transaction(async (tx) => {
      const origin = { kind: "host", hostname: "origin.example.com" } as const;
      await createDefaultDistribution(tx, jobs, service, { awsAccountId, origin });
      const wanted = { names: [{ name, type: "SUBDOMAIN" }], useDefaultCdn: true, name: null } as const;
      return await createGroup(tx, jobs, actor, service.id, wanted);
    });
    assert.equal(await db.transaction((tx) => deleteGroup(tx, jobs, actor, group.id)), null);
    await changeGroup(db, group, (tx) => planCertificate(tx, group, created, [name], new Date()));
    assert.deepEqual(await certificates.list(db, organizationId, group.id), []);
    assert.equal(await groups.find(db, organizationId, group.id), null);
  });

  it("with a planned certificate for a domain does not delete it at once", async () => {
    const { organizationId } = actor;
    const name = NAMES[0] ?? "";
    const { groupId, members } = await startScenario([name]);
    const group = await groups.find(db, organizationId, groupId);
    assert.ok(group);
    const [domain] = await members();
    assert.ok(domain);
    // Only its names count: the domain may have been read before the certificate was planned.
    await changeGroup(db, group, (tx) => planCertificate(tx, group, [], [name], new Date()));
    const jobs: Jobs = { enqueue: () => Promise.resolve() };
    const leaving = await db.transaction((tx) => deleteDomain(tx, jobs, actor, groupId, domain.id));
    assert.equal(leaving?.status, "DETACHING");
    await clear(db, groupId);
  });

  it("continues when its account works again, or after a while", async () => {
    const scenario = await startScenario([NAMES[0] ?? ""]);
    const { model, settle, members } = scenario;
    model.world.recordsOf = new Set(NAMES);
    const account = { organizationId: actor.organizationId, id: awsAccountId };
    const jobs: Jobs = {
      enqueue: (_tx, kind, ref) => {
        scenario.due.set(ref.id, { kind, ref, at: clock.now().getTime(), failures: 0 });
        return Promise.resolve();
      },
    };
    const statuses = async () => (await members()).map(({ status }) => status);
    const passUntilDenied = async () => {
      while ((await statuses())[0] !== "ERROR_ATTACHING") {
        model.script.length = 0;
        model.script.push("denied");
        if (!(await scenario.pass())) clock.advance(1_000);
      }
      model.script.length = 0;
    };
    await passUntilDenied();
    assert.equal((await members())[0]?.lastAttachmentError?.code, "Cloud:ACCOUNT:Error:ACCESS_DENIED");
    await db.transaction((tx) => resumeGroupsOfAccount(tx, jobs, account));
    assert.deepEqual(await statuses(), ["PENDING"]);
    await passUntilDenied();
    const deniedAt = clock.now().getTime();
    await settle();
    assert.deepEqual(await statuses(), ["ATTACHED"]);
    assert.ok(
      clock.now().getTime() - deniedAt >= 10 * 60_000,
      "a denied group rests before it is tried again",
    );
    assert.equal(model.certificates.size, 1);
    await scenario.user.deleteGroup();
    await settle();
  });
});

/** The gate plays the same sequences each time; `SLIPWAY_TEST_FULL=1` plays others. */
const SEED = process.env["SLIPWAY_TEST_FULL"] === "1" ? {} : { seed: 1 };
/** A slow machine takes longer than its budget, rather than prove less. */
const BUDGET_MS = 10_000;
const PLAYED_LEAST = 20;

async function act(
  user: Record<"add" | "delete", (name: string) => Promise<void>> &
    Record<"retry" | "deleteGroup", () => Promise<void>>,
  { what, name }: UserStep,
): Promise<void> {
  if (what === "add" || what === "delete") await user[what](name);
  else await user[what]();
}

/** Ignores an AppError: a request that the API would refuse is not a fault of the group. */
async function asked(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** The database as a process sees it that may die: once the power is off, nothing is written. */
function cutOff(db: Database, power: { readonly isOff: boolean }): Database {
  const check = (): void => {
    if (power.isOff) throw new Error("The process was killed.");
  };
  return {
    ...db,
    query: (wanted, values) => {
      check();
      return db.query(wanted, values);
    },
    transaction: (work) => {
      check();
      return db.transaction(work);
    },
  };
}

async function clear(db: Database, groupId: string): Promise<void> {
  for (const one of [CLEAR_DOMAINS, CLEAR_CERTIFICATES, CLEAR_GROUP]) await db.query(one, [groupId]);
}

const CLEAR_DOMAINS = writeStatement("test_clear_domains", "DELETE FROM domains WHERE group_id = $1");
const CLEAR_CERTIFICATES = writeStatement(
  "test_clear_certificates",
  "DELETE FROM certificates WHERE group_id = $1",
);
const CLEAR_GROUP = writeStatement("test_clear_group", "DELETE FROM domain_certificate_groups WHERE id = $1");
const LIST_PROVEN = readStatement<{ name: string }>(
  "test_list_proven",
  "SELECT name FROM proven_names WHERE organization_id = $1",
);
const DESCRIBE = readStatement<{ status: string }>(
  "test_describe_group",
  `SELECT g.status, g.is_deleting, d.provider_id, d.last_error, (SELECT json_agg(c) FROM certificates c WHERE c.group_id = g.id)
     FROM domain_certificate_groups g LEFT JOIN distributions d ON d.id = g.distribution_id
    WHERE g.organization_id = $1 AND g.id = $2`,
);
