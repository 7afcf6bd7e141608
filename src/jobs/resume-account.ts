import { type Transaction, writeStatement } from "../db/database.ts";

/** No wait for an account is longer: neither a reconciler's while it is not connected, nor a backoff. */
const LONGEST_WAIT_MINUTES = 6;

/** A look that is under way does not put it off again: it may have begun before the account worked. */
const RESUME = writeStatement(
  "reconciliations_resume_account",
  `UPDATE reconciliations SET due_at = now(), attempts = 0, pokes = pokes + 1
    WHERE organization_id = $1 AND aws_account_id = $2 AND kind <> 'aws-account'
      AND due_at BETWEEN now() AND now() + $3::int * interval '1 minute'`,
);

/** Has all work that waits for a cloud account looked at now, whatever its kind. */
export async function resumeAccount(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await tx.query(RESUME, [organizationId, id, LONGEST_WAIT_MINUTES]);
}
