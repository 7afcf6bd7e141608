/**
 * What the parts of the cloud's contract share. They know the `Cloud` interface only; what lies outside of it (customers,
 * their DNS, their consoles) is the harness's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CloudError,
  type ObservedCertificate,
  type Cloud,
  type CloudAccount,
  type CloudErrorCode,
  type CloudErrorKind,
  type ObservedDistribution,
} from "../../../src/cloud/cloud.ts";

export type ManagedKind = "parameters" | "secrets";
export type ManagedWhere = { readonly region: string; readonly name: string };

export type CloudHarness = {
  readonly cloud: Cloud;
  /** How many names a certificate of a new account may have. */
  readonly certificateNamesQuota: number;
  /** A new customer account whose stack was created. The result is what it reported, not verified yet. */
  connect(): Promise<CloudAccount>;
  /** Deletes the account's stack, and the role with it. */
  disconnect(account: CloudAccount): Promise<void>;
  /** A registrable domain that no test has used before. */
  newDomain(): string;
  setDnsRecord(record: { name: string; type: "CNAME" | "CAA"; value: string }): Promise<void>;
  /** A zone that the account's owner makes, and lets Slipway change. @returns its id */
  createZone(account: CloudAccount, zone: { name: string; isPrivate?: boolean }): Promise<string>;
  /** Sets a record in it by hand. */
  setZoneRecord(
    account: CloudAccount,
    zoneId: string,
    record: { name: string; type: "TXT"; value: string },
  ): Promise<void>;
  /** Creates a managed value by hand in the customer's console, without Slipway's tag. */
  makeForeign(account: CloudAccount, kind: ManagedKind, where: ManagedWhere): Promise<void>;
  /** The current value and the number of versions; null if there is none. */
  readManaged(
    account: CloudAccount,
    kind: ManagedKind,
    where: ManagedWhere,
  ): Promise<{ value: string; versionCount: number } | null>;
  /** Gives the provider's processes some time, by waiting or by advancing its clock. */
  pause(): Promise<void>;
  stop(): Promise<void>;
};
export type CloudSuite = ReturnType<typeof makeCloudSuite>;

/** To be called within the `describe` that the harness lives in. */
export function makeCloudSuite(
  makeHarness: () => Promise<CloudHarness>,
  patienceMs: number,
  hasOneAccount: boolean,
) {
  let harness: CloudHarness;
  let cloud: Cloud;
  before(async () => {
    harness = await makeHarness();
    cloud = harness.cloud;
  });
  after(() => harness.stop());

  const testOfAccounts = (what: string, story: () => Promise<void>): void =>
    void test(what, { skip: hasOneAccount && "needs accounts of its own" }, story);
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
  async function withRecords(account: CloudAccount, id: string): Promise<ObservedCertificate> {
    const seen = await until(
      () => cloud.certificates.describe(account, id),
      (certificate) => certificate?.domains.every((domain) => domain.record !== null) ?? false,
    );
    assert.ok(seen);
    return seen;
  }
  async function setValidationRecords(certificate: ObservedCertificate): Promise<void> {
    for (const { record } of certificate.domains) {
      assert.ok(record);
      await harness.setDnsRecord(record);
    }
  }
  async function waitForStatus(
    account: CloudAccount,
    id: string,
    status: ObservedCertificate["status"],
  ): Promise<ObservedCertificate> {
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
  async function waitForDeployed(account: CloudAccount, id: string): Promise<ObservedDistribution> {
    const seen = await until(
      () => cloud.distributions.describe(account, id),
      (distribution) => distribution?.deployed === true,
    );
    assert.ok(seen);
    return seen;
  }
  const attach = (
    account: CloudAccount,
    distribution: ObservedDistribution,
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

  return {
    get cloud() {
      return cloud;
    },
    get harness() {
      return harness;
    },
    testOfAccounts,
    until,
    withRecords,
    setValidationRecords,
    waitForStatus,
    issue,
    create,
    waitForDeployed,
    attach,
  };
}

/** The CloudError that the call fails with. */
export async function refuses(
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
