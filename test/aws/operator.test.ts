/** What an operator meets: each trouble ends in a state and words that say what to do, and passes with its cause. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../helpers/until.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { type AwsSlipway, type Project, report, startSlipway, untilAccount } from "./slipway.ts";

const REGION = "us-west-2";
const LONG_MS = 120_000;

describe("an operator of slipway on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const motoUrl = MOTO_URL ?? "";
  let emulator: Emulator;
  let slipway: AwsSlipway;
  let project: Project;
  let customer: Customer;
  before(async () => {
    emulator = await startEmulator({ motoUrl, seed: 13 });
    // It is the machine's, and names a place that AWS does not have.
    const started = await startSlipway(emulator, {
      AWS_REGION: "nowhere-1",
      AWS_DEFAULT_REGION: "nowhere-1",
    });
    slipway = started;
    project = await started.createProject("operated");
    customer = await customerOf(motoUrl, project.roleArn);
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  const get = async (path: string) => (await slipway.api.get(path)).body;
  const accountPath = () => `/v1/aws-accounts/${project.connectionId}`;
  const check = () => slipway.api.post(`${accountPath()}/check`);

  /** Where the run's progress is. */
  async function write(values: object, kind = "secretsManager"): Promise<string> {
    const path = `/v1/environments/${project.environmentId}/env-variables`;
    const accepted = await slipway.api.post(path, { [kind]: values });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    return accepted.headers.get("location") ?? "";
  }
  const ended = (run: string) =>
    until(
      async () => {
        const body = await get(run);
        return body.isFinished && body;
      },
      "the run ends",
      LONG_MS,
    );
  /** @returns a function that waits until the log, from this call on, contains a text */
  function logged(): (text: string | RegExp) => Promise<unknown> {
    const from = slipway.log().length;
    return (text) =>
      until(
        () => slipway.log().slice(from).match(text) !== null,
        `the log says ${String(text)}`,
        LONG_MS,
      ).catch((error: unknown) => {
        throw new Error(`Logged:\n${slipway.log().slice(from).slice(-4_000)}`, { cause: error });
      });
  }
  const secret = (name: string) =>
    customer.secret({
      region: REGION,
      name: `slipway/${project.projectId}/${project.environmentId}/${name}`,
    });

  test("need not set AWS_REGION: an unknown region is never called", async () => {
    const { failedEnvVariables } = await ended(await write({ ANYWHERE: "1" }));
    assert.deepEqual(failedEnvVariables, {});
  });

  test("whose credentials have expired sees it in the log, no connection is blamed, and work continues with new ones", async () => {
    const hasLogged = logged();
    emulator.faults.add({ api: "sts:AssumeRole", kind: { code: "ExpiredToken", status: 403 } });
    await check();
    await hasLogged(/Slipway's own AWS credentials are missing, expired or not valid/);
    assert.equal((await get(accountPath())).status, "CONNECTED");
    emulator.faults.clear();
    assert.deepEqual((await ended(await write({ RENEWED: "1" }))).failedEnvVariables, {});
  });

  test("whose credentials may not call sts:AssumeRole at all sees it, and no customer's role is blamed", async () => {
    const hasLogged = logged();
    emulator.trust.refuseOwn(true);
    await check();
    await hasLogged(/Slipway's own AWS credentials may not call sts:AssumeRole/);
    assert.equal((await get(accountPath())).status, "CONNECTED");
    emulator.trust.refuseOwn(false);
    await check();
    await until(async () => (await get(accountPath())).lastCheckError === null, "the check passes");
    assert.deepEqual((await ended(await write({ ALLOWED: "1" }))).failedEnvVariables, {});
  });

  test("with an endpoint that is down sees everything wait, and continue when it answers", async () => {
    await slipway.replace({ AWS_ENDPOINT_URL: "http://127.0.0.1:9" });
    const hasLogged = logged();
    const run = await write({ PATIENT: "1" });
    await check();
    await hasLogged(/AWS could not be reached, or gave an unusable answer/);
    assert.equal((await get(accountPath())).status, "CONNECTED");
    const { isFinished, failedEnvVariables } = await get(run);
    assert.deepEqual({ isFinished, failedEnvVariables }, { isFinished: false, failedEnvVariables: {} });
    await slipway.replace();
    assert.deepEqual((await ended(run)).failedEnvVariables, {});
    assert.deepEqual(await secret("PATIENT"), { value: "1", versionCount: 1 });
  });

  test("sees at once, value by value, when a region is not enabled in the customer's account", async () => {
    // AWS's answer there: the session is unknown.
    const kind = { code: "UnrecognizedClientException", status: 400 };
    emulator.faults.add({ api: "secretsmanager:CreateSecret", kind });
    const { failedEnvVariables } = await ended(await write({ ELSEWHERE: "1" }));
    assert.equal(failedEnvVariables.ELSEWHERE.code, "REGION_UNAVAILABLE");
    assert.match(failedEnvVariables.ELSEWHERE.message, /has not enabled it\. Enable it in the account/);
    assert.equal((await get(accountPath())).status, "CONNECTED");
    emulator.faults.clear();
    assert.deepEqual((await ended(await write({ ELSEWHERE: "1" }))).failedEnvVariables, {});
  });

  test("sees why a half-attached group whose role is deleted stops, and that it continues when the role is back", async () => {
    const path = `/v1/services/${project.serviceId}/domain-certificate-groups`;
    const names = ["www.half.example.com", "half.example.com"];
    const { body: group } = await slipway.api.post(path, { domains: names, useDefaultCdn: false });
    const ids: string[] = group.createdDomains.map(({ id }: { id: string }) => id);
    const untilAll = (status: string) =>
      until(
        async () => {
          const found = await Promise.all(ids.map((id) => get(`/v1/domains/${id}`)));
          return found.every((domain) => domain.status === status) && found;
        },
        `both are ${status}`,
        LONG_MS,
      );
    const waiting = await untilAll("AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    // The certificate is issued, and the attaching update is the first call that the role may no longer make.
    emulator.watch((api) => {
      if (api === "cloudfront:GetDistributionConfig") emulator.trust.deleteRole(project.roleArn);
      return Promise.resolve();
    });
    for (const domain of waiting) {
      for (const record of domain.dnsRecords) slipway.setDnsRecord(record);
      await slipway.api.post(`/v1/domains/${domain.id}/check`);
    }
    const failed = await untilAll("ERROR_ATTACHING");
    emulator.watch(() => Promise.resolve());
    for (const { lastAttachmentError } of failed) {
      assert.equal(lastAttachmentError.code, "Cloud:ACCOUNT:Error:ACCESS_DENIED");
      assert.match(lastAttachmentError.action, /account/i);
    }
    const account = await untilAccount(slipway.api, project.connectionId, "DISCONNECTED");
    assert.match(account.lastCheckError.message, /Create the connection's stack again/);

    // Another stack, as a customer makes it: another role, in the same account.
    const role = emulator.trust.replaceRole(project.roleArn);
    await report(slipway.api.baseUrl, project.connectionId, role);
    // Slipway attaches the domains without a retry by the customer.
    await untilAll("ATTACHED");
    const connected = await get(accountPath());
    assert.equal(connected.status, "CONNECTED");
    assert.equal(connected.roleArn, role.roleArn);
    assert.equal((await customer.certificateArns()).length, 1);
  });

  test("is protected from a stack of another account that trusts the same external id", async () => {
    const before = await get(accountPath());
    emulator.trust.deleteRole(before.roleArn);
    await check();
    const { lastCheckAt } = await untilAccount(slipway.api, project.connectionId, "DISCONNECTED");
    await report(slipway.api.baseUrl, project.connectionId, emulator.trust.createRole(project.connectionId));
    await check();
    await until(
      async () => (await get(accountPath())).lastCheckAt !== lastCheckAt,
      "it is checked again",
      LONG_MS,
    );
    assert.equal((await get(accountPath())).status, "DISCONNECTED");
    emulator.trust.restoreRole(before.roleArn);
    await check();
    const after = await untilAccount(slipway.api, project.connectionId, "CONNECTED");
    assert.equal(after.connectedAwsAccountId, before.connectedAwsAccountId);
  });
});
