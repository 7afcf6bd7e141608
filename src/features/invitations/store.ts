import { readStatement, type Sql, type Transaction, writeStatement } from "../../db/database.ts";
import { createPrune } from "../../db/prune.ts";
import type { Invitation } from "./invitation.ts";

const COLUMNS = `organization_id AS "organizationId", id, user_id AS "userId", email, invited_by AS "invitedBy", status,
  attempts, error_code AS "errorCode", answer, requested_at AS "requestedAt", ended_at AS "endedAt"`;

const INSERT = writeStatement(
  "invitations_insert",
  `INSERT INTO invitations (organization_id, id, user_id, email, invited_by) VALUES ($1, $2, $3, $4, $5)`,
);

const FIND = readStatement<Invitation>(
  "invitations_find",
  `SELECT ${COLUMNS} FROM invitations WHERE organization_id = $1 AND id = $2`,
);

const FIND_LAST = readStatement<Invitation>(
  "invitations_find_last",
  `SELECT ${COLUMNS} FROM invitations WHERE organization_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 1`,
);

/** Those of the last day. */
const COUNT = readStatement<Counted>(
  "invitations_count",
  `SELECT count(*)::int AS "ofOrganization", count(*) FILTER (WHERE email = $2)::int AS "toAddress",
          ceil(extract(epoch FROM min(requested_at) + interval '1 day' - now()))::int AS "secondsOfOrganization",
          ceil(extract(epoch FROM min(requested_at) FILTER (WHERE email = $2) + interval '1 day' - now()))::int
            AS "secondsOfAddress"
     FROM invitations WHERE organization_id = $1 AND requested_at > now() - interval '1 day'`,
);

/** Only if it has not ended. */
const RECORD = writeStatement<{ id: string }>(
  "invitations_record",
  `UPDATE invitations SET status = $3, attempts = attempts + 1, error_code = $4, answer = $5,
          ended_at = CASE WHEN $3 <> 'PENDING' THEN (SELECT now()) END
    WHERE organization_id = $1 AND id = $2 AND status = 'PENDING' RETURNING id`,
);

export type Counted = {
  readonly ofOrganization: number;
  readonly toAddress: number;
  /** Until the oldest of them no longer counts; null if there is none. */
  readonly secondsOfOrganization: number | null;
  readonly secondsOfAddress: number | null;
};

const NONE: Counted = {
  ofOrganization: 0,
  toAddress: 0,
  secondsOfOrganization: null,
  secondsOfAddress: null,
};

export const invitations = {
  insert: async (
    tx: Transaction,
    one: Pick<Invitation, "organizationId" | "id" | "userId" | "email" | "invitedBy">,
  ) => {
    const { organizationId, id, userId, email, invitedBy } = one;
    await tx.query(INSERT, [organizationId, id, userId, email, invitedBy]);
  },
  find: async (sql: Sql, organizationId: string, id: string) =>
    (await sql.query(FIND, [organizationId, id]))[0] ?? null,
  findLast: async (sql: Sql, organizationId: string, userId: string) =>
    (await sql.query(FIND_LAST, [organizationId, userId]))[0] ?? null,
  count: async (sql: Sql, organizationId: string, email: string) =>
    (await sql.query(COUNT, [organizationId, email]))[0] ?? NONE,
  /** @returns whether it had not ended before */
  record: async (
    tx: Transaction,
    { organizationId, id }: Invitation,
    { status, errorCode, answer }: Pick<Invitation, "status" | "errorCode" | "answer">,
  ) => (await tx.query(RECORD, [organizationId, id, status, errorCode, answer])).length > 0,
  prune: createPrune<[days: number]>(
    "invitations_prune",
    "invitations",
    "organization_id, id",
    "ended_at < now() - $1::int * interval '1 day'",
  ),
};
