import assert from "node:assert/strict";
import { it } from "node:test";
import type { DomainStatus } from "../../../sdk/src/generated/types.ts";
import {
  deletable,
  deletionConsequences,
  deletionText,
  formatDomainCount,
  groupSelected,
  totalOf,
} from "./domain-selection.ts";

const rowOf = (name: string, status: DomainStatus, domainCertificateGroupId = "g1") => ({
  id: name,
  name,
  status,
  domainCertificateGroupId,
});
const SERVED = rowOf("a.com", "ATTACHED");
const WAITING = rowOf("b.com", "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", "g2");
const LEAVING = rowOf("c.com", "DETACHING");

it("groups what is selected, for one share link each", () => {
  const groups = groupSelected([SERVED, WAITING, LEAVING]);
  assert.deepEqual(
    groups.map(({ groupId, rows }) => [groupId, rows.map(({ name }) => name)]),
    [
      ["g1", ["a.com", "c.com"]],
      ["g2", ["b.com"]],
    ],
  );
});

it("says how many visitors lose, and asks for a text only then", () => {
  assert.match(deletionConsequences([SERVED, WAITING])[0] ?? "", /^One of them is attached/);
  assert.match(deletionConsequences([SERVED, SERVED])[0] ?? "", /^2 of them are attached/);
  assert.match(deletionConsequences([WAITING])[0] ?? "", /no visitor/);
  assert.match(deletionConsequences([SERVED, WAITING])[1] ?? "", /2 groups/);
  assert.equal(deletionText([WAITING]), undefined);
  assert.equal(deletionText([SERVED]), "a.com");
  assert.equal(deletionText([SERVED, WAITING]), "delete 2 domains");
});

it("leaves out what is being deleted, and counts all", () => {
  assert.deepEqual(deletable([SERVED, LEAVING]), [SERVED]);
  assert.equal(totalOf({ attached: 5, inError: 1, awaitingRecords: 2, inProgress: 3 }), 11);
});

it("counts domains in words", () => {
  assert.equal(formatDomainCount(1), "1 domain");
  assert.equal(formatDomainCount(2_000), "2,000 domains");
});
