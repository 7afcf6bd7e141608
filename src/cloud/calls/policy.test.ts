import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cloud, type CloudAccount, CloudError } from "../cloud.ts";
import { type CallPolicy, type CallPolicyOptions, createCallPolicy, type Repeat } from "./policy.ts";

const ACCOUNT: CloudAccount = { connectionId: "aws_1", accountId: "1", roleArn: "arn:1" };
const failure = (kind: CloudError["kind"], code: CloudError["code"]): CloudError =>
  new CloudError(kind, code, "secrets.put", "It failed.");

type Scripted = { readonly through: (policy: CallPolicy) => Cloud; readonly calls: unknown[][] };

/** A cloud of one operation, whose answers are given in order. */
function scripted(...answers: readonly (CloudError | string)[]): Scripted {
  const calls: unknown[][] = [];
  const send = async (args: unknown[]): Promise<{ reference: string }> => {
    const answer = answers[calls.length];
    calls.push(args);
    if (answer === undefined || answer instanceof CloudError) throw answer ?? new Error("asked too often");
    return await Promise.resolve({ reference: answer });
  };
  const none = {};
  const through = (policy: CallPolicy): Cloud => {
    const put = (...args: [CloudAccount, ...unknown[]]) =>
      policy.request({
        connectionId: args[0].connectionId,
        operation: "secrets.put",
        prepare: () => Promise.resolve(() => send(args)),
      });
    const cloud = {
      certificates: none,
      distributions: none,
      identity: none,
      parameters: none,
      secrets: { put },
    };
    return policy.each(cloud as unknown as Cloud);
  };
  return { through, calls };
}

const write = { region: "us-west-2", name: "/a", value: "v", token: "t" };
const PACE = { attempts: 3, firstPauseMs: 1 };
const putThrough = ({ through }: Scripted, options: CallPolicyOptions = {}) =>
  through(createCallPolicy({ ...PACE, ...options })).secrets.put(ACCOUNT, write);

describe("a call to the cloud", () => {
  it("is repeated unchanged if its failure may pass", async () => {
    const cloud = scripted(failure("retryable", "THROTTLED"), failure("retryable", "TIMEOUT"), "arn");
    assert.deepEqual(await putThrough(cloud), { reference: "arn" });
    assert.deepEqual(cloud.calls, [
      [ACCOUNT, write],
      [ACCOUNT, write],
      [ACCOUNT, write],
    ]);
  });

  it("fails with the last failure after three tries", async () => {
    const last = failure("retryable", "UNAVAILABLE");
    const cloud = scripted(failure("retryable", "THROTTLED"), failure("retryable", "TIMEOUT"), last);
    await assert.rejects(putThrough(cloud), (error) => error === last);
    assert.equal(cloud.calls.length, 3);
  });

  it("is not made while its account does not answer; calls to other accounts are", async () => {
    const timeouts = Array.from({ length: 3 }, () => failure("retryable", "TIMEOUT"));
    const cloud = scripted(...timeouts, "arn");
    const through = cloud.through(createCallPolicy(PACE));
    await assert.rejects(through.secrets.put(ACCOUNT, write));
    await assert.rejects(
      through.secrets.put(ACCOUNT, write),
      (error) =>
        error instanceof CloudError && error.kind === "retryable" && /tries again/.test(error.message),
    );
    assert.equal(cloud.calls.length, 3);
    const other = { ...ACCOUNT, connectionId: "aws_2" };
    assert.deepEqual(await through.secrets.put(other, write), { reference: "arn" });
  });

  it("is not made to another part of that account either", async () => {
    const policy = createCallPolicy(PACE);
    const silent = scripted(...Array.from({ length: 3 }, () => failure("retryable", "TIMEOUT")));
    await assert.rejects(silent.through(policy).secrets.put(ACCOUNT, write));
    const calls: string[] = [];
    const platform = policy.each({
      builds: {
        describe: (account: CloudAccount, token: string) =>
          policy.request({
            connectionId: account.connectionId,
            operation: "builds.describe",
            async prepare() {
              return async () => {
                calls.push(token);
                return await Promise.resolve(null);
              };
            },
          }),
      },
    });
    await assert.rejects(platform.builds.describe(ACCOUNT, "build"), /tries again/);
    assert.deepEqual(calls, []);
    assert.equal(await platform.builds.describe({ ...ACCOUNT, connectionId: "aws_2" }, "other"), null);
    assert.deepEqual(calls, ["other"]);
  });

  it("may be in a group of a group", async () => {
    const stores = { snapshots: { describe: async (id: string) => await Promise.resolve(id) } };
    assert.equal(await createCallPolicy().each({ stores }).stores.snapshots.describe("snap_1"), "snap_1");
  });

  it("does not change members that are not calls", () => {
    const stackFor = (connectionId: string) => connectionId;
    const port = { kind: "sandbox", caaIssuers: ["ca.test"], stackFor, secrets: {} };
    assert.deepEqual(createCallPolicy().each(port), port);
  });

  it("is made once when the process is stopping", async () => {
    const failed = failure("retryable", "TIMEOUT");
    const cloud = scripted(failed);
    const stopped = putThrough(cloud, { stopping: AbortSignal.abort() });
    await assert.rejects(stopped, (error) => error === failed);
    assert.equal(cloud.calls.length, 1);
  });

  it("does not hide an attempt of unknown outcome behind throttling or a refusal of ours", async () => {
    const lost = failure("retryable", "TIMEOUT");
    const throttled = failure("retryable", "THROTTLED");
    await assert.rejects(putThrough(scripted(lost, throttled, throttled)), (error) => error === lost);
    const silent = Array.from({ length: 3 }, () => failure("retryable", "TIMEOUT"));
    const unadmitted = putThrough(scripted(...silent), { attempts: 4 });
    await assert.rejects(unadmitted, (error) => error === silent[2]);
  });

  const once = async (repeat: Repeat, error: CloudError): Promise<number> => {
    let sent = 0;
    const policy = createCallPolicy(PACE);
    const send = () => {
      sent += 1;
      return Promise.reject(error);
    };
    const { connectionId } = ACCOUNT;
    const prepare = () => Promise.resolve(send);
    await assert.rejects(policy.request({ connectionId, operation: "secrets.put", prepare, repeat }));
    return sent;
  };

  it("without a token is only repeated if the provider refused to do anything", async () => {
    assert.equal(await once("when-throttled", failure("retryable", "UNAVAILABLE")), 1);
    assert.equal(await once("when-throttled", failure("retryable", "TIMEOUT")), 1);
    assert.equal(await once("when-throttled", failure("retryable", "THROTTLED")), 3);
  });

  it("counts as throttled when its turn is too far away, and is not sent", async () => {
    const waits: number[] = [];
    const { connectionId } = ACCOUNT;
    const request = createCallPolicy({ ...PACE, turnWaitMs: 70 }).request({
      connectionId,
      operation: "secrets.put",
      takeTurn: (maxWaitMs) => Promise.resolve(waits.push(maxWaitMs) === 0),
      prepare: () => Promise.reject(new Error("It had no turn.")),
    });
    await assert.rejects(request, { code: "THROTTLED" });
    assert.deepEqual(waits, [70, 70, 70]);
  });

  for (const refusal of [
    failure("denied", "ACCESS_DENIED"),
    failure("limit", "TOO_MANY_PARAMETERS"),
    failure("invalid", "NOT_OURS"),
    failure("gone", "NOT_FOUND"),
    failure("retryable", "STALE_ETAG"),
  ]) {
    it(`is made once when the answer is ${refusal.kind} ${refusal.code}`, async () => {
      const cloud = scripted(refusal);
      await assert.rejects(putThrough(cloud), (error) => error === refusal);
      assert.equal(cloud.calls.length, 1);
    });
  }
});
