import { readStatement, type Sql, type Transaction, writeStatement } from "../../../../db/database.ts";
import { insertEvents, type OutboxParameters } from "../../../events/outbox.ts";
import type { Domain, Group, RedirectProblem } from "../../custom-domain.ts";

const SET_REDIRECT = writeStatement(
  "domains_set_redirect",
  `WITH changed AS (
     UPDATE domains SET redirect_to = $3, is_redirect_live = false, redirect_problem = NULL, updated_at = now()
      WHERE organization_id = $1 AND id = $2 RETURNING id),
   outbox AS (${insertEvents(4, "changed")})
   SELECT id FROM outbox`,
);
const LIST_LEADING_TO = readStatement<{ name: string }>(
  "domains_list_leading_to",
  `SELECT name FROM domains
    WHERE organization_id = $1 AND group_id = $2 AND redirect_to = $3 AND is_wanted ORDER BY name`,
);
/** Only what was seen: a client may have changed it since. */
const RECORD_LIVE = writeStatement(
  "domains_record_redirect_live",
  `WITH changed AS (
     UPDATE domains SET is_redirect_live = true, redirect_problem = NULL
      WHERE organization_id = $1 AND id = $2 AND redirect_to IS NOT DISTINCT FROM $3 AND NOT is_redirect_live
     RETURNING id),
   outbox AS (${insertEvents(4, "changed")})
   SELECT id FROM outbox`,
);
const CLEAR_PROBLEMS = writeStatement(
  "domains_clear_redirect_problems",
  `UPDATE domains SET redirect_problem = NULL
    WHERE organization_id = $1 AND group_id = $2 AND redirect_problem IS NOT NULL`,
);
const RECORD_PROBLEM = writeStatement(
  "domains_record_redirect_problem",
  `WITH changed AS (
     UPDATE domains SET redirect_problem = $4::jsonb
      WHERE organization_id = $1 AND id = $2 AND redirect_to IS NOT DISTINCT FROM $3 AND NOT is_redirect_live
     RETURNING id),
   outbox AS (${insertEvents(5, "changed")})
   SELECT id FROM outbox`,
);
const UNSETTLE = writeStatement(
  "domains_unsettle_redirects",
  `UPDATE domains SET is_redirect_live = false
    WHERE organization_id = $1 AND group_id = $2 AND redirect_to IS NOT NULL AND is_wanted AND is_redirect_live`,
);

type Key = Pick<Domain, "organizationId" | "id">;

export const redirects = {
  set: (tx: Transaction, { organizationId, id }: Key, redirectTo: string | null, told: OutboxParameters) =>
    tx.send(SET_REDIRECT, [organizationId, id, redirectTo, ...told]),
  /** The names of a group's domains that redirect to a name, or will. */
  listLeadingTo: async (sql: Sql, { organizationId, id }: Group, name: string) =>
    (await sql.query(LIST_LEADING_TO, [organizationId, id, name])).map((row) => row.name),
  /** @param domain as it was seen to be served */
  recordLive: (tx: Transaction, { organizationId, id, redirectTo }: Domain, told: OutboxParameters) =>
    tx.send(RECORD_LIVE, [organizationId, id, redirectTo, ...told]),
  clearProblems: (tx: Transaction, { organizationId, id }: Group) =>
    tx.send(CLEAR_PROBLEMS, [organizationId, id]),
  recordProblem: (
    tx: Transaction,
    { organizationId, id, redirectTo }: Domain,
    problem: RedirectProblem,
    told: OutboxParameters,
  ) => tx.send(RECORD_PROBLEM, [organizationId, id, redirectTo, JSON.stringify(problem), ...told]),
  /** The distribution does not have them, though they were seen. */
  unsettle: (tx: Transaction, { organizationId, id }: Group) => tx.send(UNSETTLE, [organizationId, id]),
};
