import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRestoreProblem, type RestoredStore, type SnapshotSource } from "./decide-restore.ts";
import type { Snapshot } from "./snapshot.ts";

const SNAPSHOT: Snapshot = {
  organizationId: "org_1",
  id: "snap_1",
  awsAccountId: "aws_1",
  region: "us-west-2",
  projectId: "proj_1",
  environmentId: "env_1",
  environmentConfigId: "production",
  serviceId: "svc_1",
  serviceConfigId: "db",
  type: "postgres",
  version: "17.2",
  reason: "manual",
  requestedBy: "user_1",
  status: "AVAILABLE",
  failure: null,
  sizeBytes: 1,
  createdAt: new Date(0),
};
const OPEN = {
  configId: "production",
  deployers: "developer",
  approvers: null,
  approvalHours: null,
} as const;
const STORE: RestoredStore = {
  type: "postgres",
  version: undefined,
  storageGb: undefined,
  projectId: "proj_1",
  environmentId: "env_1",
  awsAccountId: "aws_1",
  region: "us-west-2",
};
const problem = (
  store: Partial<RestoredStore>,
  snapshot: Partial<Snapshot> = {},
  source: Partial<SnapshotSource> = {},
) =>
  findRestoreProblem(
    { ...STORE, ...store },
    { hasProject: true, environment: OPEN, ...source, snapshot: { ...SNAPSHOT, ...snapshot } },
  );

describe("a data store from a snapshot", () => {
  it("is created in each environment of the snapshot's project, in any version that the snapshot has, with enough storage", () => {
    for (const environmentId of ["env_1", "env_2", null]) assert.equal(problem({ environmentId }), null);
    assert.equal(problem({ version: "17" }), null);
    assert.equal(problem({ version: "17" }, { version: "17" }), null);
    assert.equal(problem({ version: "17" }, { version: null }), null);
    assert.equal(problem({ storageGb: 50 }, { sizeBytes: 50 * 2 ** 30 }), null);
    assert.equal(problem({ storageGb: 20 }, { sizeBytes: null }), null);
  });

  it("is refused where the snapshot does not fit, with the cause", () => {
    const missing = /names no snapshot of this project/;
    assert.match(String(findRestoreProblem(STORE, null)), missing);
    for (const [cause, found] of [
      [missing, problem({ projectId: "proj_2" })],
      [/another cloud account/, problem({ awsAccountId: "aws_2" })],
      [/the region us-west-2/, problem({ region: "eu-west-1" })],
      [/of the type postgres/, problem({ type: "mysql" })],
      [/being taken/, problem({}, { status: "CREATING" })],
      [/is FAILED/, problem({}, { status: "FAILED" })],
      [/is DELETING/, problem({}, { status: "DELETING" })],
      [/of version 17.2/, problem({ version: "1" })],
      [/of version 17.2/, problem({ version: "18" })],
      [/of 50 GB of storage; write storageGb: 50/, problem({ storageGb: 49 }, { sizeBytes: 50 * 2 ** 30 })],
    ] as const)
      assert.match(String(found), cause);
  });

  it("is created in another project of the account once the snapshot's project is deleted", () => {
    const gone = { hasProject: false, environment: null };
    assert.equal(problem({ projectId: "proj_2", environmentId: null }, {}, gone), null);
    const elsewhere = { projectId: "proj_2", environmentId: null, awsAccountId: "aws_2" };
    assert.match(String(problem(elsewhere, {}, gone)), /another cloud account/);
  });

  it("has data of a protected environment only there", () => {
    for (const environment of [
      { ...OPEN, deployers: "admin" as const },
      { ...OPEN, approvers: "developer" as const },
    ]) {
      assert.equal(problem({}, {}, { environment }), null);
      for (const environmentId of ["env_2", null])
        assert.match(String(problem({ environmentId }, {}, { environment })), /protected environment/);
    }
  });
});
