/**
 * The same story on an emulator that enforces IAM: Slipway's own user has the one right of the setup page, its customers'
 * roles are those of the stack. What it needed to run there, and whose fault that is, is in the README beside this file.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { ApiClient } from "../helpers/api-client.ts";
import { until } from "../helpers/until.ts";
import { type Cli, cliOf, createStack, makeOwnUser } from "./ministack-customer.ts";
import { NEEDS_MOTO } from "./moto-url.ts";
import { ACCOUNT_ID, type AwsSlipway, type Project, startSlipway } from "./slipway.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? "";
const URL_OF_MINISTACK = process.env["SLIPWAY_TEST_MINISTACK"] ?? null;

describe("slipway on ministack", { skip: URL_OF_MINISTACK === null ? NEEDS_MOTO : false }, () => {
  const url = URL_OF_MINISTACK ?? "";
  const accountId = String(randomInt(1e11, 9e11));
  const cli: Cli = cliOf({ python: PYTHON, url, accountId });
  let own: { id: string; secret: string };
  let slipway: AwsSlipway;
  let project: Project;

  before(async () => {
    const page = await readFile(path.join(import.meta.dirname, "../../docs/aws.md"), "utf8");
    const policy = /```json\n(\{[^`]*sts:AssumeRole[^`]*\})\n```/.exec(page)?.[1];
    assert.ok(policy, "the page has the policy");
    own = await makeOwnUser(cliOf({ python: PYTHON, url, accountId: ACCOUNT_ID }), policy, "slipway");
    const started = await startSlipway(
      {
        url,
        setDnsRecord: () => undefined,
        async connect(_api: ApiClient, connectionId) {
          const stack = { url: `${_api.baseUrl}/cloud/aws/connection-v2.yaml`, stackName: "slipway-access" };
          return {
            accountId,
            ...(await createStack(cli, { ...stack, parameters: { ServiceId: connectionId } })),
          };
        },
      },
      { AWS_ACCESS_KEY_ID: own.id, AWS_SECRET_ACCESS_KEY: own.secret },
    );
    slipway = started;
    project = await started.createProject("shop");
  });
  after(async () => {
    await slipway.stop();
  });

  async function untilDomain(id: string, status: string) {
    let last: unknown;
    return await until(
      async () => {
        const { body } = await slipway.api.get(`/v1/domains/${id}`);
        last = body;
        return body.status === status && body;
      },
      `domain ${id} becomes ${status}`,
      120_000,
    ).catch((error: unknown) => {
      throw new Error(`Last seen: ${JSON.stringify(last)}\n${slipway.log().slice(-3_000)}`, { cause: error });
    });
  }
  async function idsOfDistributions(): Promise<readonly string[]> {
    const { DistributionList } = await cli("cloudfront", "list-distributions");
    const { Items = [] } = DistributionList as { Items?: { Id: string }[] };
    return Items.map(({ Id }) => Id);
  }
  async function check() {
    await slipway.api.post(`/v1/aws-accounts/${project.connectionId}/check`);
    const before = new Date().toISOString();
    return await until(async () => {
      const { body } = await slipway.api.get(`/v1/aws-accounts/${project.connectionId}`);
      return body.lastCheckAt > before && body;
    }, "the check is done");
  }

  test("P9: a stack of the served template reports itself and connects, and its role lacks nothing", async () => {
    const account = await check();
    assert.equal(account.status, "CONNECTED");
    assert.equal(account.connectedAwsAccountId, accountId);
    assert.equal(account.lastCheckError, null);
  });

  test("P9: a domain becomes ATTACHED, and deleting its group leaves nothing in the account", async () => {
    const before = await idsOfDistributions();
    const groups = `/v1/services/${project.serviceId}/domain-certificate-groups`;
    const created = await slipway.api.post(groups, {
      domains: ["www.ministack.example.com"],
      useDefaultCdn: false,
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    await untilDomain(created.body.createdDomains[0].id, "ATTACHED");
    assert.equal((await idsOfDistributions()).length, before.length + 1);
    const { CertificateSummaryList } = await cli("acm", "list-certificates");
    assert.deepEqual(
      (CertificateSummaryList as { DomainName: string }[]).map(({ DomainName }) => DomainName),
      ["www.ministack.example.com"],
    );
    const group = `/v1/domain-certificate-groups/${created.body.id}`;
    assert.equal((await slipway.api.delete(group)).status, 202);
    await until(async () => (await slipway.api.get(group)).status === 404, "the group is gone", 120_000);
    assert.equal((await idsOfDistributions()).length, before.length);
    assert.deepEqual((await cli("acm", "list-certificates"))["CertificateSummaryList"], []);
  });

  for (const kind of ["parameterStore", "secretsManager"]) {
    test(`P9: variables of the kind ${kind} are stored, and deleted`, async () => {
      const name = `ON_${kind.toUpperCase()}`;
      const variables = `/v1/environments/${project.environmentId}/env-variables`;
      const accepted = await slipway.api.post(variables, { [kind]: { [name]: "value of ministack" } });
      assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
      const ended = await until(
        async () => {
          const { body } = await slipway.api.get(accepted.headers.get("location") ?? "");
          return body.isFinished && body;
        },
        "the run ends",
        120_000,
      );
      assert.deepEqual(ended.failedEnvVariables, {});
      const { fromParameterStore, fromSecretsManager } = ended.storedEnvVariables[name];
      const read =
        fromParameterStore === undefined
          ? ["secretsmanager", "get-secret-value", "--region", "us-west-2", "--secret-id", fromSecretsManager]
          : [
              "ssm",
              "get-parameter",
              "--region",
              "us-west-2",
              "--with-decryption",
              "--name",
              fromParameterStore,
            ];
      assert.ok(JSON.stringify(await cli(...read)).includes("value of ministack"));
      assert.equal((await slipway.api.delete(`${variables}/${name}`)).status, 202);
      await until(async () => {
        const { body } = await slipway.api.get(variables);
        return !JSON.stringify(body).includes(name);
      }, "the variable is gone");
    });
  }

  describe("P8: a role that IAM watches", () => {
    type Tried = {
      readonly results: Readonly<Record<string, string>>;
      readonly made: {
        readonly run: { readonly roleArn: string };
        readonly stranger: { readonly error: boolean };
        readonly left: readonly string[];
        readonly document: unknown;
        readonly trust: unknown;
      };
    };
    let tried: Tried;
    before(async () => {
      const script = path.join(import.meta.dirname, "escalate.py");
      const args = [script, url, accountId, project.connectionId, own.id, own.secret, project.roleArn];
      const { stdout } = await run(PYTHON, args);
      tried = JSON.parse(stdout) as Tried;
    });
    const where = (isWanted: (name: string) => boolean) =>
      Object.entries(tried.results).filter(([name]) => isWanted(name));

    for (const row of ["S5", "S6", "W5"]) {
      test(`${row}: is refused each way out`, () => {
        const found = where((name) => name.startsWith(row));
        assert.ok(found.length >= 6, String(found.length));
        assert.deepEqual(
          found.filter(([, outcome]) => outcome !== "denied"),
          [],
        );
      });
    }

    test("P8: does what it is for", () => {
      const found = where((name) => name.startsWith("own: "));
      assert.ok(found.length >= 10, String(found.length));
      assert.deepEqual(
        found.filter(([, outcome]) => outcome === "denied"),
        [],
      );
    });

    test("S15: has the connection's function make and remove an environment's role, and no other", () => {
      const { run: made, stranger, left, document, trust } = tried.made;
      assert.match(made.roleArn, new RegExp(`:role/slipway/${project.connectionId}/slipway-run-env_`));
      assert.equal(stranger.error, true);
      assert.deepEqual(left, []);
      assert.match(JSON.stringify(document), /parameter\/slipway\/\*\/env_01h455vb4pex5vsknk084sn02s\/\*/);
      assert.match(JSON.stringify(trust), /"Service": ?"ecs-tasks.amazonaws.com"/);
    });
  });

  test("P9: no value and no session's key reaches the log", () => {
    const log = slipway.log();
    assert.ok(log.length > 1_000);
    assert.doesNotMatch(log, /value of ministack|ASIA[A-Z0-9]{8}/);
    assert.ok(!log.includes(own.secret));
  });
});
