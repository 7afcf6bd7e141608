/**
 * What every cloud must do, as `cloud.ts` says it, held against a running adapter. The suite knows the
 * `Cloud` interface only; what lies outside of it (customers, their DNS, their consoles) is the harness's.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  CERTIFICATE_STATUSES,
  CloudError,
  type CertificateSeen,
  type Cloud,
  type CloudAccount,
  type CloudErrorCode,
  type CloudErrorKind,
  type DistributionSeen,
} from "../cloud.ts";

type ManagedKind = "parameters" | "secrets";
type ManagedWhere = { readonly region: string; readonly name: string };

export type CloudHarness = {
  readonly cloud: Cloud;
  /** How many names a certificate of a fresh account may have. */
  readonly certificateNamesQuota: number;
  /** A fresh customer account whose stack was created; what it reported, not verified yet. */
  connect(): Promise<CloudAccount>;
  /** Deletes the account's stack, and the role with it. */
  disconnect(account: CloudAccount): Promise<void>;
  /** A registrable domain that no test used before. */
  newDomain(): string;
  setDnsRecord(record: { name: string; type: "CNAME" | "CAA"; value: string }): Promise<void>;
  /** Makes a managed value by hand in the customer's console, without Slipway's tag. */
  makeForeign(account: CloudAccount, kind: ManagedKind, where: ManagedWhere): Promise<void>;
  /** The current value and the number of versions written; null when there is none. */
  readManaged(
    account: CloudAccount,
    kind: ManagedKind,
    where: ManagedWhere,
  ): Promise<{ value: string; versionCount: number } | null>;
  /** Lets the provider's processes go on a little, by waiting or by setting its clock. */
  pause(): Promise<void>;
  stop(): Promise<void>;
};

const PATIENCE_MS = 60_000;
const REGION = "us-west-2";

/**
 * Registers the suite with node:test.
 * @param options.patienceMs for what the provider does by itself
 * @param options.hasOneAccount every `connect` is of the same account, which must not be disconnected
 */
export function describeCloudContract(
  name: string,
  makeHarness: () => Promise<CloudHarness>,
  { patienceMs = PATIENCE_MS, hasOneAccount = false } = {},
): void {
  const testOfAccounts = (what: string, story: () => Promise<void>): void =>
    void test(what, { skip: hasOneAccount && "needs accounts of its own" }, story);
  describe(`the contract of the ${name} cloud`, { concurrency: true }, () => {
    let harness: CloudHarness;
    let cloud: Cloud;
    before(async () => {
      harness = await makeHarness();
      cloud = harness.cloud;
    });
    after(() => harness.stop());

    async function until<T>(read: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const seen = await read();
        if (isDone(seen)) return seen;
        assert.ok(performance.now() < deadline, `still ${JSON.stringify(seen)} after ${patienceMs} ms`);
        await harness.pause();
      }
    }

    /** The certificate once the provider knows it and all its records. */
    async function withRecords(account: CloudAccount, id: string): Promise<CertificateSeen> {
      const seen = await until(
        () => cloud.certificates.describe(account, id),
        (certificate) => certificate?.domains.every((domain) => domain.record !== null) ?? false,
      );
      assert.ok(seen);
      return seen;
    }
    async function setValidationRecords(certificate: CertificateSeen): Promise<void> {
      for (const { record } of certificate.domains) {
        assert.ok(record);
        await harness.setDnsRecord(record);
      }
    }
    async function waitForStatus(
      account: CloudAccount,
      id: string,
      status: CertificateSeen["status"],
    ): Promise<CertificateSeen> {
      const seen = await until(
        () => cloud.certificates.describe(account, id),
        (certificate) => certificate?.status === status,
      );
      assert.ok(seen);
      return seen;
    }
    async function issue(account: CloudAccount, names: readonly string[], token: string): Promise<string> {
      const { id } = await cloud.certificates.request(account, { names, token });
      await setValidationRecords(await withRecords(account, id));
      await waitForStatus(account, id, "ISSUED");
      return id;
    }
    const create = (account: CloudAccount, token: string) =>
      cloud.distributions.create(account, { token, origin: { kind: "none" } });
    async function waitForDeployed(account: CloudAccount, id: string): Promise<DistributionSeen> {
      const seen = await until(
        () => cloud.distributions.describe(account, id),
        (distribution) => distribution?.deployed === true,
      );
      assert.ok(seen);
      return seen;
    }
    const attach = (
      account: CloudAccount,
      distribution: DistributionSeen,
      aliases: readonly string[],
      certificateId: string | null,
      enabled = true,
    ) =>
      cloud.distributions.update(account, distribution.id, {
        aliases,
        certificateId,
        enabled,
        etag: distribution.etag,
      });

    describe("the stack", () => {
      test("a stack is described by a link that carries the connection id", () => {
        const stack = cloud.stackFor("aws_0123456789");
        assert.ok(URL.canParse(stack.consoleUrl));
        assert.ok(stack.consoleUrl.includes("aws_0123456789"));
        assert.ok(URL.canParse(stack.template.url));
        assert.notEqual(stack.template.stackName, "");
        assert.match(stack.template.region, /^[a-z]{2}-[a-z]+-\d$/);
        assert.deepEqual(stack.template.parameters, { ServiceId: "aws_0123456789" });
        assert.deepEqual(cloud.stackFor("aws_0123456789"), stack);
      });
    });

    describe("identity", () => {
      test("a role that trusts the connection's external id alone is verified", async () => {
        const account = await harness.connect();
        const verified = await cloud.identity.verify(account.connectionId, account);
        assert.deepEqual(verified, account);
      });

      testOfAccounts("a role of another connection is denied", async () => {
        const mine = await harness.connect();
        const theirs = await harness.connect();
        await refuses(cloud.identity.verify(mine.connectionId, theirs), "denied", "ACCESS_DENIED");
      });

      test("a reported account number that is not the role's is denied", async () => {
        const account = await harness.connect();
        const reported = { ...account, accountId: "123456789012" };
        await refuses(cloud.identity.verify(account.connectionId, reported), "denied", "ACCESS_DENIED");
      });

      test("a role that does not exist is denied", async () => {
        const account = await harness.connect();
        const reported = { ...account, roleArn: `${account.roleArn}-no` };
        await refuses(cloud.identity.verify(account.connectionId, reported), "denied", "ACCESS_DENIED");
      });

      testOfAccounts(
        "after the stack is deleted the role is denied, for verifying and for working",
        async () => {
          const account = await harness.connect();
          await harness.disconnect(account);
          await refuses(cloud.identity.verify(account.connectionId, account), "denied", "ACCESS_DENIED");
          await refuses(create(account, "t"), "denied", "ACCESS_DENIED");
        },
      );
    });

    describe("certificates", () => {
      test("a requested certificate waits for its validation records and is issued once they are set", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const names = [`www.${domain}`, domain];
        const { id } = await cloud.certificates.request(account, { names, token: "t" });
        const pending = await withRecords(account, id);
        assert.equal(pending.id, id);
        assert.equal(pending.status, "PENDING_VALIDATION");
        assert.equal(pending.failureReason, null);
        assert.equal(pending.issuedAt, null);
        assert.deepEqual(pending.domains.map((entry) => entry.name).sort(), names.toSorted());
        for (const entry of pending.domains) {
          assert.equal(entry.validated, false);
          assert.equal(entry.record?.type, "CNAME");
          assert.ok(entry.record.name.endsWith(`.${entry.name}`));
        }
        await setValidationRecords(pending);
        const issued = await waitForStatus(account, id, "ISSUED");
        assert.ok(issued.domains.every((entry) => entry.validated));
        assert.ok(issued.issuedAt !== null && issued.issuedAt >= issued.requestedAt);
        assert.ok(issued.expiresAt !== null && issued.expiresAt > issued.issuedAt);
      });

      test("a certificate is not issued while one of its records is missing, and tells which are seen", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const names = [`a.${domain}`, `b.${domain}`];
        const { id } = await cloud.certificates.request(account, { names, token: "t" });
        const pending = await withRecords(account, id);
        const seen = pending.domains.find((entry) => entry.name === `a.${domain}`);
        assert.ok(seen?.record);
        await harness.setDnsRecord(seen.record);
        const half = await until(
          () => cloud.certificates.describe(account, id),
          (certificate) => certificate?.domains.some((entry) => entry.validated) ?? false,
        );
        assert.equal(half?.status, "PENDING_VALIDATION");
        const validated = half.domains.filter((entry) => entry.validated).map((entry) => entry.name);
        assert.deepEqual(validated, [`a.${domain}`]);
      });

      test("requesting again with the same token gives the same certificate, also after it was issued", async () => {
        const account = await harness.connect();
        const names = [harness.newDomain()];
        const ids = await Promise.all(
          [1, 2, 3].map(() => cloud.certificates.request(account, { names, token: "same" })),
        );
        assert.equal(new Set(ids.map(({ id }) => id)).size, 1);
        const id = await issue(account, names, "same");
        assert.equal(id, ids[0]?.id);
        assert.deepEqual(await cloud.certificates.request(account, { names, token: "same" }), { id });
        const other = await cloud.certificates.request(account, { names, token: "other" });
        assert.notEqual(other.id, id);
      });

      testOfAccounts("one token in two accounts requests two certificates", async () => {
        const names = [harness.newDomain()];
        const [first, second] = await Promise.all([harness.connect(), harness.connect()]);
        const one = await cloud.certificates.request(first, { names, token: "t" });
        const two = await cloud.certificates.request(second, { names, token: "t" });
        assert.notEqual(one.id, two.id);
        assert.equal(await cloud.certificates.describe(first, two.id), null);
      });

      testOfAccounts(
        "a validation record depends on name and account alone: stable for one, different between two",
        async () => {
          const [account, other] = await Promise.all([harness.connect(), harness.connect()]);
          const names = [harness.newDomain()];
          const recordOf = async (owner: CloudAccount, token: string) => {
            const { id } = await cloud.certificates.request(owner, { names, token });
            const record = (await withRecords(owner, id)).domains[0]?.record;
            await cloud.certificates.delete(owner, id);
            return record;
          };
          const record = await recordOf(account, "first");
          assert.deepEqual(await recordOf(account, "second"), record);
          assert.notDeepEqual(await recordOf(other, "first"), record);
        },
      );

      test("a wildcard is proven by the record of the name below it", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const names = [domain, `*.${domain}`];
        const { id } = await cloud.certificates.request(account, { names, token: "t" });
        const [plain, wildcard] = (await withRecords(account, id)).domains;
        assert.deepEqual(plain?.record, wildcard?.record);
        await issue(account, names, "t");
      });

      test("a CAA record that names another issuer makes the certificate fail with CAA_ERROR", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        await harness.setDnsRecord({ name: domain, type: "CAA", value: '0 issue "other-ca.test"' });
        const { id } = await cloud.certificates.request(account, { names: [`www.${domain}`], token: "t" });
        await setValidationRecords(await withRecords(account, id));
        const failed = await waitForStatus(account, id, "FAILED");
        assert.equal(failed.failureReason, "CAA_ERROR");
      });

      test("each issuer that the cloud names may stand in a CAA record", async () => {
        const account = await harness.connect();
        assert.ok(cloud.caaIssuers.length > 0);
        for (const issuer of cloud.caaIssuers) {
          const domain = harness.newDomain();
          await harness.setDnsRecord({ name: domain, type: "CAA", value: `0 issue "${issuer}"` });
          await issue(account, [domain], `caa-${issuer}`);
        }
      });

      test("more names than the quota are refused as a limit", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const names = Array.from({ length: harness.certificateNamesQuota + 1 }, (_, n) => `n${n}.${domain}`);
        await refuses(
          cloud.certificates.request(account, { names, token: "t" }),
          "limit",
          "CERTIFICATE_NAMES_LIMIT",
        );
        await cloud.certificates.request(account, { names: names.slice(1), token: "t" });
      });

      test("a name of at most 64 octets is put first, and without one the request is refused", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const long = `${"a".repeat(40)}.${"b".repeat(40)}.${domain}`;
        assert.ok(long.length > 64);
        const { id } = await cloud.certificates.request(account, { names: [long, domain], token: "t" });
        const seen = await withRecords(account, id);
        assert.deepEqual(seen.domains.map((entry) => entry.name).sort(), [domain, long].sort());
        await refuses(
          cloud.certificates.request(account, { names: [long], token: "u" }),
          "invalid",
          "FIRST_NAME_TOO_LONG",
        );
      });

      test("what does not exist is described as null, and deleting it, even twice, succeeds", async () => {
        const account = await harness.connect();
        const { id } = await cloud.certificates.request(account, {
          names: [harness.newDomain()],
          token: "t",
        });
        await withRecords(account, id);
        assert.equal(await cloud.certificates.delete(account, id), "deleted");
        assert.equal(await cloud.certificates.delete(account, id), "deleted");
        await until(
          () => cloud.certificates.describe(account, id),
          (certificate) => certificate === null,
        );
      });

      test("a certificate on a distribution is in use, and free again once the distribution let it go", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const id = await issue(account, [domain], "t");
        const distribution = await create(account, "t");
        const attached = await attach(account, distribution, [domain], id);
        assert.equal(await cloud.certificates.delete(account, id), "in-use");
        await attach(account, attached, [], null);
        await until(
          () => cloud.certificates.delete(account, id),
          (result) => result === "deleted",
        );
      });

      test("every status that is told is one of the provider's words", async () => {
        const account = await harness.connect();
        const { id } = await cloud.certificates.request(account, {
          names: [harness.newDomain()],
          token: "t",
        });
        assert.ok(CERTIFICATE_STATUSES.includes((await withRecords(account, id)).status));
      });
    });

    describe("distributions", () => {
      test("a new distribution has a host name, no aliases, and is deployed after a while", async () => {
        const account = await harness.connect();
        const created = await create(account, "t");
        assert.match(created.domainName, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/);
        assert.deepEqual(created.aliases, []);
        assert.equal(created.certificateId, null);
        assert.equal(created.enabled, true);
        const deployed = await waitForDeployed(account, created.id);
        assert.equal(deployed.domainName, created.domainName);
      });

      test("creating again with the same token gives the same distribution, at once and later", async () => {
        const account = await harness.connect();
        const created = await Promise.all([1, 2, 3].map(() => create(account, "same")));
        assert.equal(new Set(created.map(({ id }) => id)).size, 1);
        await waitForDeployed(account, created[0]?.id ?? "");
        assert.equal((await create(account, "same")).id, created[0]?.id);
        assert.notEqual((await create(account, "other")).id, created[0]?.id);
      });

      testOfAccounts(
        "what does not exist is described as null, cannot be updated, and is deleted already",
        async () => {
          const account = await harness.connect();
          const stranger = await create(await harness.connect(), "t");
          assert.equal(await cloud.distributions.describe(account, stranger.id), null);
          await refuses(attach(account, stranger, [], null), "gone", "NOT_FOUND");
          assert.equal(await cloud.distributions.delete(account, stranger.id, stranger.etag), "deleted");
        },
      );

      test("aliases and certificate are set together, told lower-case and sorted, and the etag moves", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const names = [`b.${domain}`, `a.${domain}`];
        const certificateId = await issue(account, names, "t");
        const created = await create(account, "t");
        const updated = await attach(account, created, names, certificateId);
        assert.deepEqual(updated.aliases, names.toSorted());
        assert.ok(updated.changedAt >= created.changedAt, `${updated.changedAt.toISOString()} of the update`);
        assert.equal(updated.certificateId, certificateId);
        assert.notEqual(updated.etag, created.etag);
        const deployed = await waitForDeployed(account, created.id);
        assert.deepEqual(deployed.aliases, names.toSorted());
      });

      test("an update with an etag that has moved is refused and changes nothing", async () => {
        const account = await harness.connect();
        const created = await create(account, "t");
        const disabled = await attach(account, created, [], null, false);
        await refuses(attach(account, created, [], null, true), "retryable", "STALE_ETAG");
        const seen = await cloud.distributions.describe(account, created.id);
        assert.equal(seen?.enabled, false);
        assert.equal(seen.etag, disabled.etag);
      });

      test("a grown set of names is served by one update that swaps certificate and aliases", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const first = await issue(account, [`a.${domain}`], "first");
        const attached = await attach(account, await create(account, "t"), [`a.${domain}`], first);
        const both = [`a.${domain}`, `b.${domain}`];
        const second = await issue(account, both, "second");
        const swapped = await attach(account, attached, both, second);
        assert.deepEqual(swapped.aliases, both);
        assert.equal(swapped.certificateId, second);
        await waitForDeployed(account, swapped.id);
        await until(
          () => cloud.certificates.delete(account, first),
          (result) => result === "deleted",
        );
        assert.equal(await cloud.certificates.delete(account, second), "in-use");
      });

      testOfAccounts(
        "an alias that another distribution has is refused, in the same account and in another",
        async () => {
          const [owner, stranger] = await Promise.all([harness.connect(), harness.connect()]);
          const domain = harness.newDomain();
          const owned = await issue(owner, [domain], "t");
          await attach(owner, await create(owner, "t"), [domain], owned);
          await refuses(
            attach(owner, await create(owner, "second"), [domain], owned),
            "invalid",
            "ALIAS_IN_USE",
          );
          // The stranger proves the name for its own account too; the alias is taken all the same.
          const { id } = await cloud.certificates.request(stranger, { names: [domain], token: "t" });
          await setValidationRecords(await withRecords(stranger, id));
          await waitForStatus(stranger, id, "ISSUED");
          await refuses(
            attach(stranger, await create(stranger, "t"), [domain], id),
            "invalid",
            "ALIAS_IN_USE",
          );
        },
      );

      testOfAccounts("an alias needs an issued certificate of the same account that covers it", async () => {
        const [account, stranger] = await Promise.all([harness.connect(), harness.connect()]);
        const domain = harness.newDomain();
        const distribution = await create(account, "t");
        const unusable = (certificateId: string | null) =>
          refuses(
            attach(account, distribution, [`www.${domain}`], certificateId),
            "invalid",
            "CERTIFICATE_UNUSABLE",
          );
        await unusable(null);
        const { id } = await cloud.certificates.request(account, { names: [`www.${domain}`], token: "t" });
        await unusable(id);
        await unusable(await issue(account, [`other.${domain}`], "other"));
        await unusable(await issue(stranger, [`www.${domain}`], "t"));
      });

      test("a wildcard certificate covers one label below it and no deeper", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const id = await issue(account, [`*.${domain}`], "t");
        const distribution = await create(account, "t");
        await refuses(
          attach(account, distribution, [`a.b.${domain}`], id),
          "invalid",
          "CERTIFICATE_UNUSABLE",
        );
        const attached = await attach(account, distribution, [`a.${domain}`], id);
        assert.deepEqual(attached.aliases, [`a.${domain}`]);
      });

      test("more than a hundred aliases are refused as a limit", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const id = await issue(account, [`*.${domain}`], "t");
        const aliases = Array.from({ length: 101 }, (_, n) => `n${n}.${domain}`);
        await refuses(attach(account, await create(account, "t"), aliases, id), "limit", "TOO_MANY_ALIASES");
      });

      test("a distribution is deleted only after it was disabled and deployed so", async () => {
        const account = await harness.connect();
        const created = await create(account, "t");
        assert.equal(await cloud.distributions.delete(account, created.id, created.etag), "not-ready");
        const disabled = await attach(account, created, [], null, false);
        assert.equal(disabled.enabled, false);
        await refuses(
          cloud.distributions.delete(account, created.id, created.etag),
          "retryable",
          "STALE_ETAG",
        );
        await until(
          () => cloud.distributions.delete(account, created.id, disabled.etag),
          (result) => result === "deleted",
        );
        assert.equal(await cloud.distributions.delete(account, created.id, disabled.etag), "deleted");
        assert.equal(await cloud.distributions.describe(account, created.id), null);
      });

      test("an alias is free for another distribution after it was taken off", async () => {
        const account = await harness.connect();
        const domain = harness.newDomain();
        const id = await issue(account, [domain], "t");
        const first = await attach(account, await create(account, "first"), [domain], id);
        await attach(account, first, [], null);
        await waitForDeployed(account, first.id);
        const second = await attach(account, await create(account, "second"), [domain], id);
        assert.deepEqual(second.aliases, [domain]);
      });
    });

    for (const kind of ["parameters", "secrets"] as const) {
      describe(kind, () => {
        const where = (name: string): ManagedWhere => ({
          region: REGION,
          name: `/slipway/shop/production/${name}`,
        });

        test("a written value is there once, and its reference leads to it", async () => {
          const account = await harness.connect();
          const at = where("DATABASE_URL");
          const value = "postgres://u:p@host/db?ü=😀\n ";
          const { reference } = await cloud[kind].put(account, { ...at, value, token: "run-1" });
          assert.ok(reference.includes(at.name));
          assert.deepEqual(await harness.readManaged(account, kind, at), { value, versionCount: 1 });
        });

        test("the same token writes one version however often it is sent, at once and later", async () => {
          const account = await harness.connect();
          const write = { ...where("KEY"), value: "one", token: "run-1" };
          const answers = await Promise.all([1, 2, 3].map(() => cloud[kind].put(account, write)));
          answers.push(await cloud[kind].put(account, write));
          assert.equal(new Set(answers.map(({ reference }) => reference)).size, 1);
          assert.equal((await harness.readManaged(account, kind, write))?.versionCount, 1);
        });

        test("another token writes another version under the same reference", async () => {
          const account = await harness.connect();
          const at = where("KEY");
          const first = await cloud[kind].put(account, { ...at, value: "one", token: "run-1" });
          const second = await cloud[kind].put(account, { ...at, value: "two", token: "run-2" });
          assert.deepEqual(second, first);
          assert.deepEqual(await harness.readManaged(account, kind, at), { value: "two", versionCount: 2 });
        });

        testOfAccounts("accounts and regions are apart", async () => {
          const [mine, theirs] = await Promise.all([harness.connect(), harness.connect()]);
          const at = where("KEY");
          await cloud[kind].put(mine, { ...at, value: "mine", token: "run-1" });
          assert.equal(await harness.readManaged(theirs, kind, at), null);
          assert.equal(await harness.readManaged(mine, kind, { ...at, region: "eu-west-1" }), null);
        });

        test("what lacks our tag is neither written over nor deleted", async () => {
          const account = await harness.connect();
          const at = where("FOREIGN");
          await harness.makeForeign(account, kind, at);
          const before = await harness.readManaged(account, kind, at);
          const write = cloud[kind].put(account, { ...at, value: "ours", token: "run-1" });
          await refuses(write, "invalid", "NOT_OURS");
          await refuses(cloud[kind].delete(account, at), "invalid", "NOT_OURS");
          assert.deepEqual(await harness.readManaged(account, kind, at), before);
        });

        test("deleting removes the value, and deleting what is gone succeeds", async () => {
          const account = await harness.connect();
          const at = where("KEY");
          await cloud[kind].put(account, { ...at, value: "one", token: "run-1" });
          await cloud[kind].delete(account, at);
          await cloud[kind].delete(account, at);
          assert.equal(await harness.readManaged(account, kind, at), null);
        });

        test("a value of the greatest size is taken and a greater one refused, without being quoted", async () => {
          const account = await harness.connect();
          const maxBytes = kind === "parameters" ? 4_096 : 65_536;
          const at = where("LARGE");
          await cloud[kind].put(account, { ...at, value: "x".repeat(maxBytes), token: "run-1" });
          const value = "x".repeat(maxBytes + 1);
          const error = await refuses(
            cloud[kind].put(account, { ...at, value, token: "run-2" }),
            "invalid",
            "VALUE_TOO_LARGE",
          );
          assert.ok(!error.message.includes("xxx"));
        });
      });
    }
  });
}

/** The CloudError that the call must fail with. */
async function refuses(
  call: Promise<unknown>,
  kind: CloudErrorKind,
  code: CloudErrorCode,
): Promise<CloudError> {
  const error = await call.then(
    () => assert.fail(`expected ${code}, but the call succeeded`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CloudError)) throw error;
  assert.deepEqual([error.kind, error.code], [kind, code], error.message);
  return error;
}
