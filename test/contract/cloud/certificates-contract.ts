/** Certificates: requested once per token, proven by DNS records, in use while a distribution has them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refuses, type CloudSuite } from "./cloud-suite.ts";
import { CERTIFICATE_STATUSES, type CloudAccount } from "../../../src/cloud/cloud.ts";

export function describeCertificates(suite: CloudSuite): void {
  const { until, withRecords, setValidationRecords, waitForStatus, issue, create, attach, testOfAccounts } =
    suite;
  describe("certificates", () => {
    test("a requested certificate waits for its validation records and is issued once they are set", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [`www.${domain}`, domain];
      const { id } = await suite.cloud.certificates.request(account, { names, token: "t" });
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

    test("a certificate is not issued while a record is missing, and shows which records were found", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [`a.${domain}`, `b.${domain}`];
      const { id } = await suite.cloud.certificates.request(account, { names, token: "t" });
      const pending = await withRecords(account, id);
      const seen = pending.domains.find((entry) => entry.name === `a.${domain}`);
      assert.ok(seen?.record);
      await suite.harness.setDnsRecord(seen.record);
      const half = await until(
        () => suite.cloud.certificates.describe(account, id),
        (certificate) => certificate?.domains.some((entry) => entry.validated) ?? false,
      );
      assert.equal(half?.status, "PENDING_VALIDATION");
      const validated = half.domains.filter((entry) => entry.validated).map((entry) => entry.name);
      assert.deepEqual(validated, [`a.${domain}`]);
    });

    test("the account's certificates are listed with all their names, until they are deleted", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [`a.${domain}`, `*.${domain}`];
      const { id } = await suite.cloud.certificates.request(account, { names, token: "t" });
      const namesOf = (all: readonly { readonly id: string; readonly names: readonly string[] }[]) =>
        all.find((one) => one.id === id)?.names.toSorted();
      const listed = await until(
        () => suite.cloud.certificates.list(account),
        (all) => namesOf(all)?.length === names.length,
      );
      assert.deepEqual(namesOf(listed), names.toSorted());
      await suite.cloud.certificates.delete(account, id);
      assert.equal(namesOf(await suite.cloud.certificates.list(account)), undefined);
    });

    test("a repeated request with the same token gives the same certificate, even after it was issued", async () => {
      const account = await suite.harness.connect();
      const names = [suite.harness.newDomain()];
      const ids = await Promise.all(
        [1, 2, 3].map(() => suite.cloud.certificates.request(account, { names, token: "same" })),
      );
      assert.equal(new Set(ids.map(({ id }) => id)).size, 1);
      const id = await issue(account, names, "same");
      assert.equal(id, ids[0]?.id);
      assert.deepEqual(await suite.cloud.certificates.request(account, { names, token: "same" }), { id });
      const other = await suite.cloud.certificates.request(account, { names, token: "other" });
      assert.notEqual(other.id, id);
    });

    testOfAccounts("one token in two accounts requests two certificates", async () => {
      const names = [suite.harness.newDomain()];
      const [first, second] = await Promise.all([suite.harness.connect(), suite.harness.connect()]);
      const one = await suite.cloud.certificates.request(first, { names, token: "t" });
      const two = await suite.cloud.certificates.request(second, { names, token: "t" });
      assert.notEqual(one.id, two.id);
      assert.equal(await suite.cloud.certificates.describe(first, two.id), null);
    });

    testOfAccounts(
      "a validation record depends only on name and account: stable for one, different between two",
      async () => {
        const [account, other] = await Promise.all([suite.harness.connect(), suite.harness.connect()]);
        const names = [suite.harness.newDomain()];
        const recordOf = async (owner: CloudAccount, token: string) => {
          const { id } = await suite.cloud.certificates.request(owner, { names, token });
          const record = (await withRecords(owner, id)).domains[0]?.record;
          await suite.cloud.certificates.delete(owner, id);
          return record;
        };
        const record = await recordOf(account, "first");
        assert.deepEqual(await recordOf(account, "second"), record);
        assert.notDeepEqual(await recordOf(other, "first"), record);
      },
    );

    test("a wildcard is proven by the record of the name below it", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = [domain, `*.${domain}`];
      const { id } = await suite.cloud.certificates.request(account, { names, token: "t" });
      const [plain, wildcard] = (await withRecords(account, id)).domains;
      assert.deepEqual(plain?.record, wildcard?.record);
      await issue(account, names, "t");
    });

    test("a CAA record that names another issuer makes the certificate fail with CAA_ERROR", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      await suite.harness.setDnsRecord({ name: domain, type: "CAA", value: '0 issue "other-ca.test"' });
      const { id } = await suite.cloud.certificates.request(account, {
        names: [`www.${domain}`],
        token: "t",
      });
      await setValidationRecords(await withRecords(account, id));
      const failed = await waitForStatus(account, id, "FAILED");
      assert.equal(failed.failureReason, "CAA_ERROR");
    });

    test("each issuer of the cloud works in a CAA record", async () => {
      const account = await suite.harness.connect();
      const issuers = await suite.cloud.caaIssuers();
      assert.ok(issuers.length > 0);
      for (const issuer of issuers) {
        const domain = suite.harness.newDomain();
        await suite.harness.setDnsRecord({ name: domain, type: "CAA", value: `0 issue "${issuer}"` });
        await issue(account, [domain], `caa-${issuer}`);
      }
    });

    test("more names than the quota are refused with limit", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const names = Array.from(
        { length: suite.harness.certificateNamesQuota + 1 },
        (_, n) => `n${n}.${domain}`,
      );
      await refuses(
        suite.cloud.certificates.request(account, { names, token: "t" }),
        "limit",
        "CERTIFICATE_NAMES_LIMIT",
      );
      await suite.cloud.certificates.request(account, { names: names.slice(1), token: "t" });
    });

    test("a name of at most 64 octets is put first; without one, the request is refused", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const long = `${"a".repeat(40)}.${"b".repeat(40)}.${domain}`;
      assert.ok(long.length > 64);
      const { id } = await suite.cloud.certificates.request(account, { names: [long, domain], token: "t" });
      const seen = await withRecords(account, id);
      assert.deepEqual(seen.domains.map((entry) => entry.name).sort(), [domain, long].sort());
      await refuses(
        suite.cloud.certificates.request(account, { names: [long], token: "u" }),
        "invalid",
        "FIRST_NAME_TOO_LONG",
      );
    });

    test("describing what does not exist gives null, and deleting it succeeds, even twice", async () => {
      const account = await suite.harness.connect();
      const { id } = await suite.cloud.certificates.request(account, {
        names: [suite.harness.newDomain()],
        token: "t",
      });
      await withRecords(account, id);
      assert.equal(await suite.cloud.certificates.delete(account, id), "deleted");
      assert.equal(await suite.cloud.certificates.delete(account, id), "deleted");
      await until(
        () => suite.cloud.certificates.describe(account, id),
        (certificate) => certificate === null,
      );
    });

    test("a certificate is in use while a distribution has it, and free afterwards", async () => {
      const account = await suite.harness.connect();
      const domain = suite.harness.newDomain();
      const id = await issue(account, [domain], "t");
      const distribution = await create(account, "t");
      const attached = await attach(account, distribution, [domain], id);
      assert.equal(await suite.cloud.certificates.delete(account, id), "in-use");
      await attach(account, attached, [], null);
      await until(
        () => suite.cloud.certificates.delete(account, id),
        (result) => result === "deleted",
      );
    });

    test("every status is one of the provider's statuses", async () => {
      const account = await suite.harness.connect();
      const { id } = await suite.cloud.certificates.request(account, {
        names: [suite.harness.newDomain()],
        token: "t",
      });
      assert.ok(CERTIFICATE_STATUSES.includes((await withRecords(account, id)).status));
    });
  });
}
