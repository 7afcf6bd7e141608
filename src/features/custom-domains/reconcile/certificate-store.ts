/** Certificates: the desired ones, the ones in use, and the ones to delete. */
import type { ObservedCertificate } from "../../../cloud/cloud.ts";
import type { StartedCall } from "../../../cloud/calls/stragglers.ts";
import { readStatement, type Sql, type Transaction, writeStatement } from "../../../db/database.ts";
import type { Certificate } from "../custom-domain.ts";

/** The columns of a certificate, as `Certificate` names them. */
export const CERTIFICATE = `organization_id AS "organizationId", id, group_id AS "groupId", names, status, provider_id AS "providerId",
  requested_at AS "requestedAt", request_started_at AS "requestStartedAt", validation_deadline_at AS "validationDeadlineAt", issued_at AS "issuedAt",
  expires_at AS "expiresAt", renewal_status AS "renewalStatus", expiry_told_days AS "expiryNotifiedDays", is_abandoned AS "isAbandoned", created_at AS "createdAt"`;

/**
 * Inserts nothing if the group is deleted or being deleted, or if a name is no longer desired. A name that the caller
 * knows to leave may be unwanted.
 */
const INSERT_CERTIFICATE = writeStatement<{ id: string }>(
  "certificates_insert",
  `INSERT INTO certificates AS new (organization_id, id, group_id, names, status, requested_at, request_started_at)
   SELECT g.organization_id, $2, g.id, $4, 'REQUESTING', $5, $5
     FROM domain_certificate_groups g
    WHERE g.organization_id = $1 AND g.id = $3 AND NOT g.is_deleting AND (
      SELECT bool_and(coalesce((
        SELECT d.is_wanted OR d.name = ANY($6::text[]) FROM domains d
         WHERE d.organization_id = $1 AND d.name = given.name AND d.group_id = $3), false))
        FROM unnest($4::text[]) AS given(name))
   RETURNING new.id`,
);
const LIST_CERTIFICATES = readStatement<Certificate>(
  "certificates_list",
  `SELECT ${CERTIFICATE} FROM certificates WHERE organization_id = $1 AND group_id = $2 ORDER BY id`,
);
const LIST_CERTIFICATES_OF_GROUPS = readStatement<Certificate>(
  "certificates_list_of_groups",
  `SELECT ${CERTIFICATE} FROM certificates WHERE organization_id = $1 AND group_id = ANY($2::text[]) ORDER BY id`,
);
const MARK_REQUESTED = writeStatement<{ startedBefore: Date | null }>(
  "certificates_mark_requested",
  `UPDATE certificates c SET requested_at = coalesce(c.requested_at, $3), request_started_at = $3
     FROM certificates b
    WHERE c.organization_id = $1 AND c.id = $2 AND b.organization_id = $1 AND b.id = $2
   RETURNING b.request_started_at AS "startedBefore"`,
);
/** Records that a request has failed, whichever worker made it and whatever others have done since. */
const END_REQUEST = writeStatement(
  "certificates_end_request",
  `UPDATE certificates SET request_started_at = $4
    WHERE organization_id = $1 AND id = $2 AND request_started_at = $3`,
);
const RECORD_REQUESTED = writeStatement<{ id: string }>(
  "certificates_record_requested",
  `UPDATE certificates SET provider_id = $3, status = 'PENDING_VALIDATION', requested_at = $4, validation_deadline_at = $5,
      request_started_at = CASE WHEN request_started_at = $4 THEN $6 ELSE request_started_at END
    WHERE organization_id = $1 AND id = $2 RETURNING id`,
);
const INSERT_STRAY_CERTIFICATE = writeStatement<{ id: string }>(
  "certificates_insert_stray",
  `INSERT INTO certificates AS new (organization_id, id, group_id, names, status, provider_id, is_abandoned)
   SELECT g.organization_id, $3, g.id, $4, 'PENDING_VALIDATION', $5, true
     FROM domain_certificate_groups g WHERE g.organization_id = $1 AND g.id = $2 RETURNING new.id`,
);
const RECORD_OBSERVED = writeStatement<{ id: string }>(
  "certificates_record_observed",
  `UPDATE certificates SET status = $3, issued_at = $4, expires_at = $5, renewal_status = $6, expiry_told_days = $7
    WHERE organization_id = $1 AND id = $2
      AND (status, issued_at, expires_at, renewal_status, expiry_told_days)
          IS DISTINCT FROM ($3, $4::timestamptz, $5::timestamptz, $6, $7::smallint)
   RETURNING id`,
);
const ABANDON_CERTIFICATE = writeStatement<{ id: string }>(
  "certificates_abandon",
  `UPDATE certificates SET is_abandoned = true WHERE organization_id = $1 AND id = $2 AND NOT is_abandoned
   RETURNING id`,
);
const DELETE_CERTIFICATE = writeStatement(
  "certificates_delete",
  `DELETE FROM certificates WHERE organization_id = $1 AND id = $2`,
);

export const certificates = {
  /**
   * Inserts one whose request begins now, as `markRequested` does. The caller must hold the lock of the group's row.
   * @returns false if the group, or one of the names, is no longer desired
   */
  insert: async (
    tx: Transaction,
    certificate: Pick<Certificate, "organizationId" | "id" | "groupId" | "names">,
    startedAt: Date,
    leaving: readonly string[],
  ): Promise<boolean> => {
    const { organizationId, id, groupId, names } = certificate;
    const values = [organizationId, id, groupId, names, startedAt, leaving];
    return (await tx.query(INSERT_CERTIFICATE, values)).length > 0;
  },
  list: (sql: Sql, organizationId: string, groupId: string) =>
    sql.query(LIST_CERTIFICATES, [organizationId, groupId]),
  listOfGroups: (sql: Sql, organizationId: string, groupIds: readonly string[]) =>
    sql.query(LIST_CERTIFICATES_OF_GROUPS, [organizationId, groupIds]),
  /**
   * Call it before a request: from now on, the provider may have the certificate.
   * @returns when an earlier request of unknown outcome began
   */
  markRequested: async (sql: Sql, { organizationId, id }: Certificate, at: Date): Promise<Date | null> =>
    (await sql.query(MARK_REQUESTED, [organizationId, id, at]))[0]?.startedBefore ?? null,
  endRequest: async (
    sql: Sql,
    { organizationId, id }: Certificate,
    { startedAt, startedBefore }: StartedCall,
  ) => void (await sql.query(END_REQUEST, [organizationId, id, startedAt, startedBefore])),
  /** Also ends the request. @returns false if the row no longer exists */
  recordRequested: async (
    sql: Sql,
    { organizationId, id }: Certificate,
    { startedAt, startedBefore }: StartedCall,
    made: { readonly providerId: string; readonly deadlineAt: Date },
  ): Promise<boolean> => {
    const values = [organizationId, id, made.providerId, startedAt, made.deadlineAt, startedBefore];
    return (await sql.query(RECORD_REQUESTED, values)).length > 0;
  },
  /** Inserts a certificate to delete, whose request's row was deleted. @returns false if the group was deleted too */
  insertStray: async (
    sql: Sql,
    { organizationId, groupId, id, names }: Certificate,
    providerId: string,
  ): Promise<boolean> =>
    (await sql.query(INSERT_STRAY_CERTIFICATE, [organizationId, groupId, id, names, providerId])).length > 0,
  /** @returns whether the provider says something new, or another expiry was notified */
  recordObserved: async (
    tx: Transaction,
    { organizationId, id }: Certificate,
    { status, issuedAt, expiresAt, renewalStatus }: ObservedCertificate,
    expiryNotifiedDays: number | null,
  ): Promise<boolean> => {
    const values = [organizationId, id, status, issuedAt, expiresAt, renewalStatus, expiryNotifiedDays];
    return (await tx.query(RECORD_OBSERVED, values)).length > 0;
  },
  /** @returns false if it was abandoned before */
  abandon: async (tx: Transaction, { organizationId, id }: Certificate): Promise<boolean> =>
    (await tx.query(ABANDON_CERTIFICATE, [organizationId, id])).length > 0,
  delete: async (sql: Sql, { organizationId, id }: Certificate) =>
    void (await sql.query(DELETE_CERTIFICATE, [organizationId, id])),
};
