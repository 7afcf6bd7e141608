import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { until } from "../../../test/helpers/until.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { type Database, readStatement, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import type { CheckOptions, Dns, RecordCheck } from "../../dns/dns.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Sweep } from "../../jobs/sweep.ts";
import { createOrganization } from "../organizations/commands.ts";
import { createTestClock } from "../../sealing/testing.ts";
import { createGroup } from "../custom-domains/commands.ts";
import type { DnsRecord, Domain } from "../custom-domains/custom-domain.ts";
import { connectionRecord, verificationRecord } from "../custom-domains/records/dns-record.ts";
import { domains } from "../custom-domains/store.ts";
import { dnsRecords } from "../custom-domains/records/dns-record-store.ts";
import { scheduleDnsChecks } from "./check-scheduler.ts";
import { dueAt, HOUR_MS } from "../custom-domains/records/check-times.ts";
import { insertProject, insertService } from "../custom-domains/reconcile/testing/rows.ts";

const TARGET = "target.cdn.example";
const FIND_ROW = readStatement<{ place: string; lookAt: Date | null }>(
  "test_dns_records_find_row",
  `SELECT ctid::text AS place, look_at AS "lookAt" FROM dns_records WHERE domain_id = $1`,
);
const FORGET_WORKERS = writeStatement("test_dns_lookers_forget", "DELETE FROM dns_lookers");
const LIST_WARNINGS = readStatement<{ type: string; code: string }>(
  "test_event_outbox_list_warnings",
  `SELECT type, data -> 'warning' ->> 'code' AS code FROM event_outbox WHERE subject_id = $1 AND type LIKE '%warning%'`,
);
const FOUND: RecordCheck = { value: TARGET, error: null };
const MISSING: RecordCheck = { value: null, error: { code: "NOT_FOUND", message: "Found nothing." } };

describe("the sweep over DNS records", () => {
  let folder: string;
  let db: Database;
  let actor: Actor;
  let projectId: string;
  const enqueued: string[] = [];
  const results: string[] = [];
  const lateSeconds: number[] = [];
  const jobs: Jobs = {
    enqueue: (_tx, _kind, { id }) => {
      enqueued.push(id);
      return Promise.resolve();
    },
  };

  before(async () => {
    folder = await makeTempDir("dns-sweep");
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
    ({ projectId } = await insertProject(db, organizationId));
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A group whose domains have a connection record each, due now. */
  async function addRecords(...names: readonly string[]): Promise<readonly Domain[]> {
    const serviceId = await insertService(db, actor.organizationId, projectId);
    const named = names.map((name) => ({ name, type: "SUBDOMAIN" }) as const);
    return await db.transaction(async (tx) => {
      const wanted = { names: named, useDefaultCdn: false, name: null };
      const { created } = await createGroup(tx, jobs, actor, serviceId, wanted);
      for (const domain of created) await dnsRecords.put(tx, connectionRecord(domain, TARGET));
      return created;
    });
  }

  async function recordOf({ organizationId, id }: Domain): Promise<DnsRecord | undefined> {
    return (await dnsRecords.list(db, organizationId, [id]))[0];
  }

  /** Takes what is due, and then writes what was found. */
  function sweepAll(
    deps: Partial<Parameters<typeof scheduleDnsChecks>[0]> & { dns: Dns },
  ): Pick<Sweep, "run"> {
    const onCheck = (result: string): void => void results.push(result);
    const onLate = (seconds: number): void => void lateSeconds.push(seconds);
    const isAwaited = (): boolean => false;
    const clock = createTestClock();
    const shared = {
      db,
      domainConnect: null,
      clock,
      jobs,
      caaIssuers: () => Promise.resolve([]),
      isAwaited,
      checksPerSecond: 6_000,
    };
    const all = { ...shared, onCheck, onLate, ...deps };
    const [taking, writing] = scheduleDnsChecks(all);
    return {
      async run(untilStopped) {
        await taking.run(untilStopped);
        return await writing.run(untilStopped);
      },
    };
  }
  function sweepWith(
    check: (name: string, options?: CheckOptions) => Promise<RecordCheck>,
    clock = createTestClock(),
  ): Pick<Sweep, "run"> {
    const dns: Dns = {
      check: ({ name }, options) => check(name, options),
      findCaaRefusal: () => Promise.resolve(null),
      findDelegation: () => Promise.resolve(null),
      findEndedWildcard: () => Promise.resolve(null),
      findTexts: () => Promise.resolve(null),
      close: () => Promise.resolve(),
    };
    return sweepAll({ dns, clock });
  }
  const { signal } = new AbortController();
  // Each sweep is a worker, and would share the records with those of earlier tests.
  beforeEach(() => db.query(FORGET_WORKERS));

  it("writes other results while one check still waits for silent name servers", async () => {
    const [silent, quick] = await addRecords("www.silent.example.com", "www.quick.example.com");
    assert.ok(silent !== undefined && quick !== undefined);
    const answer = Promise.withResolvers<RecordCheck>();
    const sweep = sweepWith((name) => (name === silent.name ? answer.promise : Promise.resolve(FOUND)));
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(quick))?.status === "OK";
    }, "the quick one is recorded");
    assert.equal((await recordOf(silent))?.lastCheckAt, null);
    answer.resolve(MISSING);
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(silent))?.lastCheckError?.code === "NOT_FOUND";
    }, "the silent one is recorded too");
  });

  it("makes up for the checks of a worker that has stopped, and reports how late they are", async () => {
    const [domain] = await addRecords("www.late.example.com");
    assert.ok(domain !== undefined);
    // The record is old enough to be due once an hour. The stopped worker made its last checks half an hour ago.
    await db.execute(
      `UPDATE dns_records SET status = 'OK', since = now() - interval '2 hours', look_at = NULL,
              last_check_at = now() - interval '2 hours' WHERE domain_id = '${domain.id}';
       INSERT INTO dns_lookers (id, seen_at, looked_until)
       SELECT 'gone', now() - interval '30 minutes', now() - interval '30 minutes'`,
    );
    const record = await recordOf(domain);
    assert.ok(record !== undefined);
    const isMissed = dueAt(record.slot, HOUR_MS, Date.now() - HOUR_MS / 2) < Date.now();
    const sweep = sweepWith((name) => Promise.resolve(name === domain.name ? MISSING : FOUND));
    await until(async () => {
      await sweep.run(signal);
      return (lateSeconds.at(-1) ?? 0) > 60;
    }, "it is late");
    await until(async () => {
      await sweep.run(signal);
      return lateSeconds.at(-1) === 0;
    }, "nothing is late any more");
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.status === (isMissed ? "PENDING" : "OK");
    }, "a check that was missed is made");
  });

  it("A12: a requested check asks everything again, also if another check was running", async () => {
    const [domain] = await addRecords("www.asked.example.com");
    assert.ok(domain !== undefined);
    const asked: (CheckOptions | undefined)[] = [];
    const held: PromiseWithResolvers<RecordCheck>[] = [];
    const sweep = sweepWith(async (name, options) => {
      if (name !== domain.name) return MISSING;
      asked.push(options);
      const answer = Promise.withResolvers<RecordCheck>();
      held.push(answer);
      return await answer.promise;
    });
    const untilAsked = async (count: number): Promise<void> => {
      await until(async () => {
        await sweep.run(signal);
        return asked.length >= count;
      }, `check ${count}`);
    };
    await untilAsked(1);
    // While that check waits for its answer, the client sets the record and asks.
    await dnsRecords.requestCheck(db, domain.organizationId, domain.id);
    for (let turns = 0; turns < 5; turns += 1) await sweep.run(signal);
    held[0]?.resolve(MISSING);
    await untilAsked(2);
    assert.deepEqual(asked[1], { isQuick: false, isFresh: true });
    held[1]?.resolve(FOUND);
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.status === "OK";
    }, "what the second check found is recorded");
  });

  it("enqueues the group when a record becomes right, and not while it does not change", async () => {
    const [domain] = await addRecords("www.enqueued.example.com");
    assert.ok(domain !== undefined);
    let found = MISSING;
    const sweep = sweepWith((name) => Promise.resolve(name === domain.name ? found : MISSING));
    const checked = async (since: number): Promise<void> => {
      await dnsRecords.requestCheck(db, domain.organizationId, domain.id);
      await until(async () => {
        await sweep.run(signal);
        return ((await recordOf(domain))?.lastCheckAt?.getTime() ?? 0) > since;
      }, "it is checked");
    };
    enqueued.length = 0;
    await checked(0);
    assert.deepEqual(enqueued, []);
    found = FOUND;
    await dnsRecords.requestCheck(db, domain.organizationId, domain.id);
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.status === "OK";
    }, "it is found");
    assert.deepEqual(enqueued, [domain.groupId]);
  });

  it("counts no miss of a check that began before the domain was attached, and warns of the first after", async () => {
    const name = "_token.www.attached.example.com";
    const [domain] = await addRecords("www.attached.example.com");
    assert.ok(domain !== undefined);
    const { organizationId, id } = domain;
    await db.transaction((tx) =>
      dnsRecords.put(tx, verificationRecord(domain, { name, type: "CNAME", value: "a.example" })),
    );
    const held: PromiseWithResolvers<RecordCheck>[] = [];
    const sweep = sweepWith(async (asked) => {
      if (asked !== name) return FOUND;
      const answer = Promise.withResolvers<RecordCheck>();
      held.push(answer);
      return await answer.promise;
    });
    const untilCheck = (count: number) =>
      until(async () => {
        await sweep.run(signal);
        return held.length >= count;
      }, `check ${count}`);
    const verification = async () =>
      (await dnsRecords.list(db, organizationId, [id])).find((record) => record.name === name);
    await untilCheck(1);
    await db.execute(`UPDATE domains SET status = 'ATTACHED' WHERE id = '${id}'`);
    await db.transaction((tx) => dnsRecords.forgetMiss(tx, domain));
    held[0]?.resolve(MISSING);
    await untilCheck(2);
    assert.equal((await verification())?.lastCheckAt, null);
    assert.deepEqual(await db.query(LIST_WARNINGS, [id]), []);
    held[1]?.resolve(MISSING);
    await until(async () => {
      await sweep.run(signal);
      return (await verification())?.lastCheckError?.code === "NOT_FOUND";
    }, "the miss is recorded");
    assert.deepEqual(await db.query(LIST_WARNINGS, [id]), [
      { type: "domain.warning_raised", code: "VERIFICATION_RECORD_MISSING" },
    ]);
  });

  it("writes nothing if a check finds nothing new, and the result of a requested check at once", async () => {
    const [domain] = await addRecords("www.unchanged.example.com");
    assert.ok(domain !== undefined);
    const clock = createTestClock();
    let found = MISSING;
    let checked = 0;
    const sweep = sweepWith((name) => {
      if (name === domain.name) checked += 1;
      return Promise.resolve(found);
    }, clock);
    const rowOf = async () => (await db.query(FIND_ROW, [domain.id]))[0];
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.lastCheckError?.code === "NOT_FOUND";
    }, "the first check is written");
    const first = await rowOf();
    assert.equal(first?.lookAt, null, "it is taken");
    const before = checked;
    await until(async () => {
      await sweep.run(signal);
      return checked >= before + 2;
    }, "it is checked again");
    assert.deepEqual(await rowOf(), first);

    clock.advance(60_000);
    await dnsRecords.requestCheck(db, domain.organizationId, domain.id);
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.lastCheckAt?.getTime() === clock.now().getTime();
    }, "the client gets the result, also if nothing is new");

    found = FOUND;
    await until(async () => {
      await sweep.run(signal);
      return (await recordOf(domain))?.status === "OK";
    }, "what such a check finds is written");
  });

  it("soon checks a right record again after a check that failed", async () => {
    const [domain] = await addRecords("www.unclear.example.com");
    assert.ok(domain !== undefined);
    let found = FOUND;
    const sweep = sweepWith(() => Promise.resolve(found));
    const untilShown = async (code: string | undefined): Promise<void> => {
      await until(async () => {
        await sweep.run(signal);
        const record = await recordOf(domain);
        return record?.status === "OK" && record.lastCheckError?.code === code;
      }, `it shows ${code}`);
    };
    await untilShown(undefined);
    found = { value: null, error: { code: "TIMEOUT", message: "No answer." } };
    await dnsRecords.requestCheck(db, domain.organizationId, domain.id);
    await untilShown("TIMEOUT");
    found = FOUND;
    await untilShown(undefined);
  });

  it("stops checking records it has taken when the worker stops", async () => {
    const [domain] = await addRecords("www.stopped.example.com");
    assert.ok(domain !== undefined);
    const stopping = new AbortController();
    let checked = 0;
    const sweep = sweepWith((name) => {
      if (name === domain.name) checked += 1;
      return Promise.resolve(MISSING);
    });
    await until(async () => {
      await sweep.run(stopping.signal);
      return checked > 0;
    }, "it is taken");
    const before = checked;
    stopping.abort();
    const [other] = await addRecords("www.other.example.com");
    assert.ok(other !== undefined);
    let others = 0;
    const next = sweepWith((name) => {
      if (name === other.name) others += 1;
      return Promise.resolve(MISSING);
    });
    await until(async () => {
      await next.run(signal);
      return others >= 3;
    }, "another worker checks a record three times that was read later");
    assert.equal(checked, before);
  });

  it("records nothing for a domain that was deleted during the check", async () => {
    const [domain] = await addRecords("www.deleted.example.com");
    assert.ok(domain !== undefined);
    const validation = {
      name: "_token.www.deleted.example.com",
      type: "CNAME",
      value: "token.example",
    } as const;
    await db.transaction((tx) => dnsRecords.put(tx, verificationRecord(domain, validation)));
    const dns: Dns = {
      check: () => Promise.resolve(MISSING),
      findDelegation: () => Promise.resolve(null),
      findEndedWildcard: () => Promise.resolve(null),
      findTexts: () => Promise.resolve(null),
      findCaaRefusal: async () => {
        await db.transaction((tx) => domains.delete(tx, domain));
        const refusal = { at: "example.com", owner: "example.com", found: ['0 issue "other.example"'] };
        const advice = { setAt: "example.com", value: '0 issue "a.example"', message: "", action: "" };
        return { ...refusal, ...advice };
      },
      close: () => Promise.resolve(),
    };
    const results: string[] = [];
    const onCheck = (result: string): unknown => results.push(result);
    const sweep = sweepAll({ dns, caaIssuers: () => Promise.resolve(["issuer.example"]), onCheck });
    await until(async () => {
      await sweep.run(signal);
      return results.length >= 2;
    }, "both records are checked at");
    await sweep.run(signal);
    assert.equal(await recordOf(domain), undefined);
  });

  it("continues after a check that failed because of a bug, and logs it", async () => {
    const [broken, sound] = await addRecords("www.broken.example.com", "www.sound.example.com");
    assert.ok(broken !== undefined && sound !== undefined);
    const sweep = sweepWith((name) =>
      name === broken.name ? Promise.reject(new Error("a defect")) : Promise.resolve(FOUND),
    );
    const reported: unknown[] = [];
    await until(async () => {
      await sweep.run(signal).catch((error: unknown) => reported.push(error));
      return reported.length > 0 && (await recordOf(sound))?.status === "OK";
    }, "the sound one is recorded, and the defect reported");
    assert.match(String(reported[0]), /a defect/);
  });
});
