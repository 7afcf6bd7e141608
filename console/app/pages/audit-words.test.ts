import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuditEntry } from "../../../sdk/src/generated/types.ts";
import {
  auditCsv,
  changesOf,
  nameInEntry,
  pageOf,
  formatAction,
  formatActor,
  formatWorkload,
} from "./audit-words.ts";

const ENTRY: AuditEntry = {
  id: "audit_1",
  at: "2026-11-01T10:00:00.000Z",
  userId: "user_1",
  apiKeyId: "key_1",
  action: "project.updated",
  resourceId: "proj_1",
  requestId: "r-1",
  sourceAddress: null,
  details: { before: { name: "Shop" }, after: { name: "=1+1" } },
};
const NAMES = new Map([["user_1", 'Ann "A", Admin']]);

describe("audit entries in words", () => {
  it("say what was done, and who did it", () => {
    assert.equal(formatAction("project.deleted"), "Deleted a project");
    assert.equal(formatAction("webhook-endpoint.secret-rotated"), "Webhook: secret rotated");
    assert.equal(formatAction("new-thing.updated"), "Changed new thing");
    assert.equal(formatActor("slipway", NAMES), "Slipway");
    assert.equal(formatActor("git_1", NAMES), "A push");
    assert.equal(formatActor("user_2", NAMES), "A deleted user");
  });

  it("lead to what they are about, by its name where they have it", () => {
    assert.equal(pageOf("proj_1"), "/projects/proj_1");
    assert.equal(pageOf("svc_1/LOG_LEVEL"), "/services/svc_1");
    assert.equal(pageOf("ses_1"), null);
    assert.equal(nameInEntry({ resourceId: "svc_1/LOG_LEVEL", details: null }), "LOG_LEVEL");
    assert.equal(nameInEntry(ENTRY), "=1+1");
    assert.equal(nameInEntry({ ...ENTRY, details: null }), null);
  });

  it("name the job that made a change", () => {
    const workload = {
      trustId: "trust_1",
      name: "ci",
      subject: "s",
      repository: "acme/shop",
      ref: "main",
      runId: "7",
    };
    assert.equal(formatWorkload({ workload }), "ci: acme/shop main, run 7");
    assert.equal(formatWorkload({ workload: { ...workload, repository: null, runId: null } }), "ci: s");
    assert.equal(formatWorkload(ENTRY.details), null);
    assert.equal(nameInEntry({ resourceId: "trust_1", details: { workload } }), "ci");
  });

  it("show fields before and after", () => {
    assert.deepEqual(
      changesOf({ before: { role: "viewer" }, after: { role: "admin", name: "Ann", host: null } }),
      {
        names: [],
        changes: [
          { field: "role", before: "viewer", after: "admin" },
          { field: "name", before: null, after: "Ann" },
        ],
      },
    );
    assert.deepEqual(changesOf(null), { names: [], changes: [] });
  });

  it("are exported so that no spreadsheet runs or splits a cell", () => {
    const user = { ...ENTRY, resourceId: "=HYPERLINK(1)" };
    const [, row] = auditCsv([user], NAMES).split("\r\n");
    assert.equal(
      row,
      '2026-11-01T10:00:00.000Z,"Ann ""A"", Admin",user_1,key_1,project.updated,\'=HYPERLINK(1),,r-1,' +
        '"{""before"":{""name"":""Shop""},""after"":{""name"":""=1+1""}}"',
    );
  });
});
