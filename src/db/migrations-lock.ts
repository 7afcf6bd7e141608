/**
 * Whoever changes the schema runs this first, so that one process does so at a time, until its transaction ends. Run as
 * plain SQL, which is waited for without a limit on our side too.
 */
export const MIGRATIONS_LOCK = "SELECT pg_advisory_xact_lock(7263412)";
