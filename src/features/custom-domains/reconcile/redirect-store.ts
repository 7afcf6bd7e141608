import { readStatement, type Sql, type Transaction, writeStatement } from "../../../db/database.ts";
import type { Domain, Group, RedirectProblem } from "../custom-domain.ts";

const SET_REDIRECT = writeStatement(
  "domains_set_redirect",
  `UPDATE domains SET redirect_to = $3, is_redirect_live = false, redirect_problem = NULL, updated_at = now()
    WHERE organization_id = $1 AND id = $2`,
);
const LIST_LEADING_TO = readStatement<{ name: string }>(
  "domains_list_leading_to",
  `SELECT name FROM domains
    WHERE organization_id = $1 AND group_id = $2 AND redirect_to = $3 AND is_wanted ORDER BY name`,
);
/** Only what was observed: a client may have changed it since. */
const RECORD_LIVE = writeStatement<{ id: string }>(
  "domains_record_redirect_live",
  `UPDATE domains SET is_redirect_live = true, redirect_problem = NULL
    WHERE organization_id = $1 AND id = $2 AND redirect_to IS NOT DISTINCT FROM $3 AND NOT is_redirect_live
   RETURNING id`,
);
const CLEAR_PROBLEMS = writeStatement(
  "domains_clear_redirect_problems",
  `UPDATE domains SET redirect_problem = NULL
    WHERE organization_id = $1 AND group_id = $2 AND redirect_problem IS NOT NULL`,
);
const RECORD_PROBLEM = writeStatement<{ id: string }>(
  "domains_record_redirect_problem",
  `UPDATE domains SET redirect_problem = $4::jsonb
    WHERE organization_id = $1 AND id = $2 AND redirect_to IS NOT DISTINCT FROM $3 AND NOT is_redirect_live
   RETURNING id`,
);
const UNSETTLE = writeStatement(
  "domains_unsettle_redirects",
  `UPDATE domains SET is_redirect_live = false
    WHERE organization_id = $1 AND group_id = $2 AND redirect_to IS NOT NULL AND is_wanted AND is_redirect_live`,
);

type Key = Pick<Domain, "organizationId" | "id">;

export const redirects = {
  set: (tx: Transaction, { organizationId, id }: Key, redirectTo: string | null) =>
    tx.send(SET_REDIRECT, [organizationId, id, redirectTo]),
  /** The names of a group's domains that redirect to a name, or will. */
  listLeadingTo: async (sql: Sql, { organizationId, id }: Group, name: string) =>
    (await sql.query(LIST_LEADING_TO, [organizationId, id, name])).map((row) => row.name),
  /** @param domain as it was observed to be served @returns false if it has changed since */
  recordLive: async (tx: Transaction, { organizationId, id, redirectTo }: Domain) =>
    (await tx.query(RECORD_LIVE, [organizationId, id, redirectTo])).length > 0,
  clearProblems: (tx: Transaction, { organizationId, id }: Group) =>
    tx.send(CLEAR_PROBLEMS, [organizationId, id]),
  /** @returns false if the redirect has changed since, or is served */
  recordProblem: async (
    tx: Transaction,
    { organizationId, id, redirectTo }: Domain,
    problem: RedirectProblem,
  ) => (await tx.query(RECORD_PROBLEM, [organizationId, id, redirectTo, JSON.stringify(problem)])).length > 0,
  /** The distribution does not have them, although they were observed. */
  unsettle: (tx: Transaction, { organizationId, id }: Group) => tx.send(UNSETTLE, [organizationId, id]),
};
