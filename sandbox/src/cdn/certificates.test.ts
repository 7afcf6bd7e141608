import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { CloudError } from "../../../src/cloud/cloud.ts";
import { startFixture, waitFor, type SandboxFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { defaultTuning, instantTuning, type SandboxTuning } from "../tuning.ts";

const HOUR_MS = 3_600_000;

/** A sandbox on a clock that only the test sets. */
async function startAt(
  t: TestContext,
  tuning: Partial<SandboxTuning>,
): Promise<SandboxFixture & { readonly advance: (ms: number) => void }> {
  let nowMs = Date.now();
  const fixture = await startFixture({
    tuning: { ...instantTuning, ...tuning },
    clock: { now: () => new Date(nowMs) },
  });
  t.after(() => fixture.stop());
  return { ...fixture, advance: (ms) => (nowMs += ms) };
}

describe("the sandbox's certificates", { concurrency: true }, () => {
  test("are unknown at first, then known without records, then with them", async (t) => {
    const { cloud, advance, ...fixture } = await startAt(t, {
      describeLagMs: defaultTuning.describeLagMs,
      recordDelayMs: defaultTuning.recordDelayMs,
    });
    const account = await fixture.connect();
    const { id } = await cloud.certificates.request(account, { names: ["a.example"], token: "t" });
    assert.equal(await cloud.certificates.describe(account, id), null);
    advance(defaultTuning.describeLagMs);
    const early = await cloud.certificates.describe(account, id);
    assert.deepEqual(early?.domains, [{ name: "a.example", validated: false, failed: false, record: null }]);
    advance(defaultTuning.recordDelayMs - defaultTuning.describeLagMs);
    const later = await cloud.certificates.describe(account, id);
    assert.match(later?.domains[0]?.record?.name ?? "", /^_[0-9a-f]{32}\.a\.example$/);
    assert.match(later?.domains[0]?.record?.value ?? "", /^_[0-9a-f]{32}\.acm-validations\.sandbox\.test$/);
  });

  test("time out after 72 hours, not a moment before, and are not issued after that", async (t) => {
    const { cloud, advance, setRecord, ...fixture } = await startAt(t, {});
    const account = await fixture.connect();
    const { id } = await cloud.certificates.request(account, { names: ["b.example"], token: "t" });
    const status = async () => (await cloud.certificates.describe(account, id))?.status;
    advance(72 * HOUR_MS - 1);
    assert.equal(await status(), "PENDING_VALIDATION");
    advance(1);
    assert.equal(await status(), "VALIDATION_TIMED_OUT");
    const seen = await cloud.certificates.describe(account, id);
    const record = seen?.domains[0]?.record;
    assert.ok(record);
    await setRecord(record.name, "CNAME", record.value);
    // A new request finds the record set, and the old one stays as it is.
    const second = await fixture.issue(account, ["b.example"], "again");
    assert.notEqual(second, id);
    assert.equal(await status(), "VALIDATION_TIMED_OUT");
  });

  test("are not validated by a wrong value", async (t) => {
    const { cloud, setRecord, ...fixture } = await startAt(t, {});
    const account = await fixture.connect();
    const { id } = await cloud.certificates.request(account, { names: ["c.example"], token: "t" });
    const record = (await cloud.certificates.describe(account, id))?.domains[0]?.record;
    assert.ok(record);
    await setRecord(record.name, "CNAME", "wrong.acm-validations.sandbox.test");
    // Another certificate is issued in the meantime, so the loop has passed the waiting ones.
    await fixture.issue(account, ["passes-meanwhile.example"], "u");
    assert.equal((await cloud.certificates.describe(account, id))?.status, "PENDING_VALIDATION");
    await setRecord(record.name, "CNAME", record.value.replace(/^_/, ""));
    await waitFor(async () =>
      (await cloud.certificates.describe(account, id))?.status === "ISSUED" ? true : null,
    );
  });

  test("are never given for the sandbox's own names", async (t) => {
    const { cloud, ...fixture } = await startAt(t, {});
    const account = await fixture.connect();
    const names = ["dshop.cdn.sandbox.test"];
    const { id } = await cloud.certificates.request(account, { names, token: "t" });
    const seen = await cloud.certificates.describe(account, id);
    assert.deepEqual([seen?.status, seen?.failureReason], ["FAILED", "DOMAIN_NOT_ALLOWED"]);
  });

  test("are limited in number for a rolling year, deleted ones counted", async (t) => {
    const { cloud, advance, ...fixture } = await startAt(t, { certificateRequestsPerYear: 2 });
    const account = await fixture.connect();
    const request = (token: string) => cloud.certificates.request(account, { names: ["d.example"], token });
    const first = await request("1");
    await cloud.certificates.delete(account, first.id);
    await request("2");
    await assert.rejects(request("3"), { kind: "limit", code: "CERTIFICATE_REQUEST_QUOTA" });
    // A repeated request requests nothing new.
    await request("2");
    advance(366 * 24 * HOUR_MS);
    await request("3");
  });

  test("in use are renewed while their record exists, and expire after it is removed", async (t) => {
    const { cloud, advance, ...fixture } = await startAt(t, { renewalIntervalMs: 20 });
    const account = await fixture.connect();
    const id = await fixture.issue(account, ["e.example"], "t");
    const created = await cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
    const { etag } = created;
    const update = { aliases: ["e.example"], certificateId: id, enabled: true, etag };
    await cloud.distributions.update(account, created.id, update);
    const issued = await cloud.certificates.describe(account, id);
    assert.equal(issued?.renewalStatus, null);

    advance(154 * 24 * HOUR_MS);
    const renewed = await waitFor(async () => {
      const seen = await cloud.certificates.describe(account, id);
      return seen?.renewalStatus === "SUCCESS" ? seen : null;
    });
    assert.ok(Number(renewed.expiresAt) > Number(issued.expiresAt));

    const name = renewed.domains[0]?.record?.name;
    await fixture.fetch("DELETE", "/sandbox/dns/records", { name, type: "CNAME" });
    advance(154 * 24 * HOUR_MS);
    await waitFor(async () =>
      (await cloud.certificates.describe(account, id))?.renewalStatus === "PENDING_VALIDATION" ? true : null,
    );
    advance(45 * 24 * HOUR_MS);
    assert.equal((await cloud.certificates.describe(account, id))?.status, "EXPIRED");
  });

  test("are requested at the provider's rate and no faster", async (t) => {
    const { cloud, advance, ...fixture } = await startAt(t, { throttle: defaultTuning.throttle });
    const account = await fixture.connect();
    const request = (n: number) =>
      cloud.certificates.request(account, { names: [`n${n}.example`], token: `t${n}` }).then(
        () => "done",
        (error: unknown) => (error instanceof CloudError ? error.code : "other"),
      );
    const outcomes = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(request));
    assert.deepEqual(outcomes.filter((outcome) => outcome === "THROTTLED").length, 2);
    advance(200);
    assert.equal(await request(7), "done");
    assert.equal(await request(8), "THROTTLED");
  });
});
