import { type Transaction, writeStatement } from "../db/database.ts";

/** The upper limit of every wait for an account: for a reconnection as well as for a backoff. */
const LONGEST_WAIT_MINUTES = 6;

/** A claimed one is checked again after its step, which may have begun before the account worked. */
const RESUME = writeStatement(
  "reconciliations_resume_account",
  `UPDATE reconciliations SET due_at = CASE WHEN state = 'claimed' THEN due_at ELSE (SELECT now()) END, attempts = 0, pokes = pokes + 1
    WHERE organization_id = $1 AND aws_account_id = $2 AND kind <> 'aws-account'
      AND due_at BETWEEN now() AND now() + $3::int * interval '1 minute'`,
);

/** Makes all work that waits for a cloud account due now, whatever its kind. */
export async function resumeAccount(
  tx: Transaction,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await tx.query(RESUME, [organizationId, id, LONGEST_WAIT_MINUTES]);
}
