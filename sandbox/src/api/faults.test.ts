import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { CloudError, type CloudAccount } from "../../../src/cloud/cloud.ts";
import { createSandboxCloud } from "../../../src/cloud/sandbox/adapter.ts";
import { createFaults } from "../faults.ts";
import {
  FIXTURE_SECRET,
  startFixture,
  type SandboxFixture,
} from "../../../test/helpers/sandbox/sandbox-fixture.ts";

async function start(t: TestContext, timeoutMs?: number): Promise<SandboxFixture> {
  const fixture = await startFixture(timeoutMs === undefined ? {} : { timeoutMs });
  t.after(() => fixture.stop());
  return fixture;
}

async function setFault(fixture: SandboxFixture, fault: object): Promise<void> {
  assert.equal((await fixture.fetch("PUT", "/sandbox/faults", fault)).status, 204);
}

function request({ cloud }: SandboxFixture, account: CloudAccount, token: string): Promise<{ id: string }> {
  return cloud.certificates.request(account, { names: ["a.example"], token });
}

async function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "none",
    (error: unknown) => (error instanceof CloudError ? `${error.kind} ${error.code}` : String(error)),
  );
}

test("each kind of fault fails the call in its way, and clearing it restores the call", async (t) => {
  const fixture = await start(t, 300);
  const account = await fixture.connect();
  const expected = {
    throttled: "retryable THROTTLED",
    denied: "denied ACCESS_DENIED",
    "server-error": "retryable UNAVAILABLE",
    timeout: "retryable TIMEOUT",
    quota: "limit CERTIFICATE_REQUEST_QUOTA",
  };
  for (const [kind, failure] of Object.entries(expected)) {
    await setFault(fixture, { operation: "certificates.request", kind });
    assert.equal(await failureOf(request(fixture, account, "t")), failure, kind);
  }
  assert.equal((await fixture.accountState(account)).certificates.length, 0);
  assert.equal((await fixture.fetch("DELETE", "/sandbox/faults")).status, 204);
  await request(fixture, account, "t");
});

test("after a lost response the work is done, and the repeated call finds it done once", async (t) => {
  const fixture = await start(t);
  const account = await fixture.connect();
  const { cloud } = fixture;
  const write = { region: "us-west-2", name: "/slipway/KEY", value: "v", token: "run" };
  const works: readonly (() => Promise<unknown>)[] = [
    () => request(fixture, account, "t"),
    () => cloud.distributions.create(account, { token: "t", origin: { kind: "none" } }),
    () => cloud.parameters.put(account, write),
    () => cloud.secrets.put(account, write),
  ];
  for (const work of works) {
    await setFault(fixture, { operation: "*", kind: "lost-response", count: 1 });
    assert.equal(await failureOf(work()), "retryable UNAVAILABLE");
    await work();
  }
  const state = await fixture.accountState(account);
  assert.deepEqual([state.certificates.length, state.distributions.length], [1, 1]);
  assert.deepEqual(
    [...state.parameters, ...state.secrets].map((value) => value.versionCount),
    [1, 1],
  );
  assert.equal(state.calls["certificates.request"], 2);
});

test("a count ends the fault after that many calls, and an operation's fault takes precedence over a general one", async (t) => {
  const fixture = await start(t);
  const account = await fixture.connect();
  await setFault(fixture, { operation: "certificates.request", kind: "throttled", count: 2 });
  await setFault(fixture, { operation: "*", kind: "denied" });
  const failures = [1, 2, 3].map(() => () => failureOf(request(fixture, account, "t")));
  const seen: string[] = [];
  for (const failure of failures) seen.push(await failure());
  assert.deepEqual(seen, ["retryable THROTTLED", "retryable THROTTLED", "denied ACCESS_DENIED"]);
});

test("a rate lets the other calls succeed", () => {
  let roll = 0;
  const faults = createFaults(() => (roll = (roll + 0.25) % 1));
  faults.set({ operation: "secrets.put", kind: "throttled", rate: 0.5 });
  const struck = Array.from({ length: 8 }, () => faults.strike("secrets.put"));
  assert.equal(struck.filter((kind) => kind === "throttled").length, 4);
  assert.equal(faults.strike("secrets.delete"), null);
});

test("a role that anyone may assume is refused when it is verified", async (t) => {
  const { instantTuning } = await import("../tuning.ts");
  const fixture = await startFixture({ tuning: { ...instantTuning, carelessRoles: "any" } });
  t.after(() => fixture.stop());
  const account = await fixture.connect();
  await assert.rejects(fixture.cloud.identity.verify(account.connectionId, account), {
    kind: "denied",
    message: /without the external id/,
  });
});

test("W6: a role that any external id of our form may assume is refused when it is verified", async (t) => {
  const { instantTuning } = await import("../tuning.ts");
  const fixture = await startFixture({ tuning: { ...instantTuning, carelessRoles: "any-of-our-form" } });
  t.after(() => fixture.stop());
  const account = await fixture.connect();
  await assert.rejects(fixture.cloud.identity.verify(account.connectionId, account), {
    kind: "denied",
    message: /with another external id/,
  });
});

test("a failed probe of the trust policy proves nothing: the verification fails as retryable", async (t) => {
  let fates: readonly boolean[] = [];
  let asked = 0;
  const random = () => (fates[asked++] === true ? 0 : 1);
  const fixture = await startFixture({ random });
  t.after(() => fixture.stop());
  const account = await fixture.connect();
  const verifies = async (kind: string, wanted: readonly boolean[]) => {
    await setFault(fixture, { operation: "identity.verify", kind, rate: 0.5 });
    fates = wanted;
    asked = 0;
    const { url } = fixture.server;
    const cloud = createSandboxCloud({ url, publicUrl: url, secret: FIXTURE_SECRET, timeoutMs: 300 });
    const failure = await failureOf(cloud.identity.verify(account.connectionId, account));
    return { failure, asked };
  };
  const [passes, fails] = [false, true];
  for (const [kind, code] of [
    ["lost-response", "UNAVAILABLE"],
    ["timeout", "TIMEOUT"],
  ] as const) {
    const probe = await verifies(kind, [fails, passes, fails, fails, passes, fails, passes, passes]);
    assert.deepEqual(probe, { failure: "none", asked: 8 }, "only the question that failed is asked again");
    const probes = await verifies(kind, [passes, passes, fails, fails, fails, fails]);
    // After three time-outs the account is not called for a while.
    const asks = kind === "timeout" ? 5 : 6;
    assert.deepEqual(probes, { failure: `retryable ${code}`, asked: asks }, "and not for ever");
  }
});

test("a server that is away, sends garbage or rejects the secret leads to retryable failures", async (t) => {
  const fixture = await start(t);
  const account = await fixture.connect();
  const failureAt = (url: string, secret: string | null) =>
    failureOf(createSandboxCloud({ url, publicUrl: url, secret }).certificates.describe(account, "arn:none"));
  assert.equal(await failureAt("http://127.0.0.1:1", null), "retryable UNAVAILABLE");
  assert.equal(await failureAt(fixture.server.url, "wrong"), "retryable UNAVAILABLE");
  const garbler = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"no": 1}'));
  });
  garbler.listen(0, "127.0.0.1");
  await once(garbler, "listening");
  t.after(() => void garbler.close());
  const address = garbler.address();
  assert.ok(address !== null && typeof address === "object");
  assert.equal(await failureAt(`http://127.0.0.1:${address.port}`, null), "retryable UNAVAILABLE");
});
