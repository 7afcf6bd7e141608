import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { statement } from "./database.ts";

const READS = [
  "SELECT id FROM domains WHERE organization_id = $1",
  "\n  WITH waiting AS (SELECT 1) SELECT updated_at FROM waiting",
];
const OTHERS = [
  "UPDATE domains SET status = $1",
  "WITH gone AS (DELETE FROM domains RETURNING id) SELECT id FROM gone",
  "SELECT id FROM domains FOR UPDATE",
  "SELECT id FROM domains FOR NO KEY UPDATE SKIP LOCKED",
  "SELECT pg_try_advisory_xact_lock(1)",
  "SELECT nextval('env_variable_generation')",
  "BEGIN",
];

describe("a statement", () => {
  for (const text of READS)
    it(`reads: ${text.trim()}`, () => assert.equal(statement("one", text).isRead, true));
  for (const text of OTHERS)
    it(`may wait or write: ${text}`, () => assert.equal(statement("one", text).isRead, false));
});
