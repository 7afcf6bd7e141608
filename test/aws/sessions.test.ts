/** Sessions of customers' roles, AWS's late answers, and what must never be revealed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { CloudError } from "../../src/cloud/cloud.ts";
import { FAULT_KINDS } from "./emulator/faults.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { newDomain, withWorld, work, type World } from "./world.ts";

const REGION = "us-west-2";

function play(name: string, story: (world: World) => Promise<void>): void {
  test(name, () => withWorld({ motoUrl: MOTO_URL ?? "", seed: 1 }, story));
}

describe("the aws cloud", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const assumedBy = ({ emulator }: World) =>
    emulator.calls.filter(({ api }) => api === "sts:AssumeRole").length;

  play("asks for one session for many calls, also at once", async (world) => {
    const { cloud, connect } = world;
    const { account } = await connect();
    await Promise.all([1, 2, 3, 4, 5].map(() => cloud.distributions.describe(account, "E1")));
    await cloud.distributions.describe(account, "E1");
    assert.equal(assumedBy(world), 1);
  });

  play(
    "asks for a new session when AWS no longer knows the old one, and the call succeeds",
    async (world) => {
      const { cloud, connect, emulator } = world;
      const { account } = await connect();
      const { id } = await cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
      emulator.trust.expireSessions();
      assert.equal((await cloud.distributions.describe(account, id))?.id, id);
      assert.equal(assumedBy(world), 2);
    },
  );

  play("verifies with a session of its own, for the cached one may outlive the role", async (world) => {
    const { cloud, connect, emulator } = world;
    const { account } = await connect();
    await cloud.distributions.describe(account, "E1");
    emulator.trust.deleteRole(account.roleArn);
    const verifying = cloud.identity.verify(account.connectionId, account);
    await assert.rejects(verifying, { kind: "denied", code: "ACCESS_DENIED" });
  });

  play(
    "takes what a caller of the role cannot be known for no denial",
    async ({ cloud, connect, emulator }) => {
      const { account } = await connect();
      // Our own credentials, not the customer's role.
      emulator.faults.add({ api: "sts:AssumeRole", kind: { code: "InvalidClientTokenId", status: 403 } });
      await assert.rejects(cloud.identity.verify(account.connectionId, account), {
        kind: "retryable",
        message: /Slipway's own AWS credentials/,
      });
    },
  );

  play("finds the certificate of a token by its tag, without a request", async (world) => {
    const { newCloud, connect, callsOf } = world;
    const { account } = await connect();
    const wanted = { names: [newDomain()], token: "t" };
    const { id } = await newCloud().certificates.request(account, wanted);
    assert.deepEqual(await newCloud().certificates.request(account, wanted), { id });
    assert.equal(callsOf(account, "acm:RequestCertificate").length, 1);
  });

  play("finds a distribution by its comment when the refusal does not name it", async (world) => {
    const { cloud, connect, emulator } = world;
    const { account } = await connect();
    const wanted = { token: "t", origin: { kind: "none" } } as const;
    const { id } = await cloud.distributions.create(account, wanted);
    const kind = { code: "DistributionAlreadyExists", status: 409 };
    emulator.faults.add({ api: "cloudfront:CreateDistribution", kind });
    assert.equal((await cloud.distributions.create(account, wanted)).id, id);
  });

  play("describes a certificate that ACM does not show yet as null", async ({ cloud, connect, emulator }) => {
    const { account } = await connect();
    const { id } = await cloud.certificates.request(account, { names: [newDomain()], token: "t" });
    const kind = { code: "ResourceNotFoundException", status: 400 };
    emulator.faults.add({ api: "acm:DescribeCertificate", kind, count: 1 });
    assert.equal(await cloud.certificates.describe(account, id), null);
    assert.equal((await cloud.certificates.describe(account, id))?.id, id);
  });

  play("writes a parameter once though its tags are shown late", async ({ cloud, connect, emulator }) => {
    const party = await connect();
    const write = { region: REGION, name: "/slipway/late/KEY", value: "v", token: "t" };
    await cloud.parameters.put(party.account, write);
    const kind = { code: "InvalidResourceId", status: 400 };
    emulator.faults.add({ api: "ssm:ListTagsForResource", kind, count: 1 });
    await work(() => cloud.parameters.put(party.account, write));
    assert.equal((await party.customer.parameter(write))?.versionCount, 1);
  });

  play("lets one of two writers with the same ETag win", async ({ newCloud, connect }) => {
    const { account } = await connect();
    const clouds = [newCloud(), newCloud()];
    const [first] = clouds;
    assert.ok(first);
    const { id, etag } = await first.distributions.create(account, { token: "t", origin: { kind: "none" } });
    const update = { aliases: [], certificateId: null, enabled: false, etag };
    const outcomes = await Promise.allSettled(
      clouds.map((cloud) => cloud.distributions.update(account, id, update)),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    assert.equal(refusals.length, 1);
    assert.ok(refusals[0] instanceof CloudError && refusals[0].code === "STALE_ETAG");
  });

  for (const store of ["parameters", "secrets"] as const) {
    for (const kind of [...FAULT_KINDS, { code: "ValidationException", status: 400 }]) {
      const what = typeof kind === "string" ? kind : kind.code;
      play(`says nothing of a value in ${store} that could not be written for ${what}`, async (world) => {
        const { newCloud, connect, emulator } = world;
        const { account } = await connect();
        const api = store === "parameters" ? "ssm:PutParameter" : "secretsmanager:CreateSecret";
        emulator.faults.add({ api, kind });
        const value = "canary-4b1f0c9e7d";
        const write = { region: REGION, name: "/slipway/secret/KEY", value, token: "t" };
        const cloud = newCloud(500);
        const error: unknown = await cloud[store].put(account, write).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof CloudError);
        const shown = inspect(error, { depth: 12, showHidden: true });
        assert.ok(!shown.includes(value), "the value");
        assert.ok(!shown.includes(Buffer.from(value).toString("base64").slice(0, 12)), "the value in base64");
        assert.ok(!/ASIA[A-Z0-9]{8}/.test(shown), "the session's key");
      });
    }
  }
});
