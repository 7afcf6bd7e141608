import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cloud, type CloudAccount, CloudError } from "../cloud.ts";
import { createRetrying } from "./retrying.ts";

const ACCOUNT: CloudAccount = { connectionId: "aws_1", accountId: "1", roleArn: "arn:1" };
const failure = (kind: CloudError["kind"], code: CloudError["code"]): CloudError =>
  new CloudError(kind, code, "secrets.put", "It failed.");

/** A cloud of one operation, whose answers are given in order. */
function scripted(...answers: readonly (CloudError | string)[]): { cloud: Cloud; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const put = async (...args: unknown[]): Promise<{ reference: string }> => {
    const answer = answers[calls.length];
    calls.push(args);
    if (answer === undefined || answer instanceof CloudError) throw answer ?? new Error("asked too often");
    return { reference: answer };
  };
  const none = {};
  const cloud = {
    certificates: none,
    distributions: none,
    identity: none,
    parameters: none,
    secrets: { put },
  };
  return { cloud: cloud as unknown as Cloud, calls };
}

const write = { region: "us-west-2", name: "/a", value: "v", token: "t" };
const PACE = { attempts: 3, firstPauseMs: 1 };
const putThrough = (cloud: Cloud) => createRetrying({ pace: PACE }).each(cloud).secrets.put(ACCOUNT, write);

describe("a call to the cloud", () => {
  it("is made again with the same words while its failure may pass", async () => {
    const { cloud, calls } = scripted(
      failure("retryable", "THROTTLED"),
      failure("retryable", "TIMEOUT"),
      "arn",
    );
    assert.deepEqual(await putThrough(cloud), { reference: "arn" });
    assert.deepEqual(calls, [
      [ACCOUNT, write],
      [ACCOUNT, write],
      [ACCOUNT, write],
    ]);
  });

  it("fails with the last failure after three tries", async () => {
    const last = failure("retryable", "UNAVAILABLE");
    const { cloud, calls } = scripted(
      failure("retryable", "THROTTLED"),
      failure("retryable", "TIMEOUT"),
      last,
    );
    await assert.rejects(putThrough(cloud), (error) => error === last);
    assert.equal(calls.length, 3);
  });

  it("is not made at all while its account answers none, and those to another account are", async () => {
    const timeouts = Array.from({ length: 3 }, () => failure("retryable", "TIMEOUT"));
    const { cloud, calls } = scripted(...timeouts, "arn");
    const through = createRetrying({ pace: PACE }).each(cloud);
    await assert.rejects(through.secrets.put(ACCOUNT, write));
    await assert.rejects(
      through.secrets.put(ACCOUNT, write),
      (error) =>
        error instanceof CloudError && error.kind === "retryable" && /asked again/.test(error.message),
    );
    assert.equal(calls.length, 3);
    const other = { ...ACCOUNT, connectionId: "aws_2" };
    assert.deepEqual(await through.secrets.put(other, write), { reference: "arn" });
  });

  it("to another part of an account that answers none is not made either", async () => {
    const retrying = createRetrying({ pace: PACE });
    const silent = scripted(...Array.from({ length: 3 }, () => failure("retryable", "TIMEOUT")));
    await assert.rejects(retrying.each(silent.cloud).secrets.put(ACCOUNT, write));
    const calls: string[] = [];
    const platform = retrying.each({
      builds: {
        describe: async (_account: CloudAccount, token: string) => {
          calls.push(token);
          return await Promise.resolve(null);
        },
      },
    });
    await assert.rejects(platform.builds.describe(ACCOUNT, "build"), /asked again/);
    assert.deepEqual(calls, []);
    assert.equal(await platform.builds.describe({ ...ACCOUNT, connectionId: "aws_2" }, "other"), null);
    assert.deepEqual(calls, ["other"]);
  });

  it("leaves what is no call as it is", () => {
    const stackFor = (connectionId: string) => connectionId;
    const port = { kind: "sandbox", caaIssuers: ["ca.test"], stackFor, secrets: {} };
    assert.deepEqual(createRetrying().each(port), port);
  });

  it("is made once when the process is stopping", async () => {
    const failed = failure("retryable", "TIMEOUT");
    const { cloud, calls } = scripted(failed);
    const stopping = createRetrying({ pace: PACE, stopping: AbortSignal.abort() }).each(cloud);
    await assert.rejects(stopping.secrets.put(ACCOUNT, write), (error) => error === failed);
    assert.equal(calls.length, 1);
  });

  for (const refusal of [
    failure("denied", "ACCESS_DENIED"),
    failure("limit", "TOO_MANY_PARAMETERS"),
    failure("invalid", "NOT_OURS"),
    failure("gone", "NOT_FOUND"),
    failure("retryable", "STALE_ETAG"),
  ]) {
    it(`is made once when the answer is ${refusal.kind} ${refusal.code}`, async () => {
      const { cloud, calls } = scripted(refusal);
      await assert.rejects(putThrough(cloud), (error) => error === refusal);
      assert.equal(calls.length, 1);
    });
  }
});
