/**
 * A transaction that changes the schema runs this first. Until the transaction ends, no other process changes the
 * schema. Run it as plain SQL, for which our side has no time limit either.
 */
export const MIGRATIONS_LOCK = "SELECT pg_advisory_xact_lock(7263412)";
