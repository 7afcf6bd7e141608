/**
 * The role that writes run under (`tenant-scope.ts`). Row-level security does not apply to owners and superusers, so
 * Slipway's user needs another role, which cannot log in, owns nothing and may use the tables. Slipway creates it at
 * the start if its user may create roles; otherwise the operator creates it once (docs/reference/configuration.md).
 */
import { createHash } from "node:crypto";
import {
  type Database,
  DatabaseError,
  readAsOwner,
  readStatement,
  type Transaction,
  writeStatement,
} from "./database.ts";
import { isDistributed } from "./distribute.ts";
import { DatabaseStartError } from "./drivers/postgres-server.ts";
import { quoteIdentifier } from "./tenant-scope.ts";

/** `role` is null when there is none; `reason` then says why, and what the operator can do. */
export type TenantRole =
  | { readonly role: string; readonly isDistributed: boolean }
  | { readonly role: null; readonly reason: string };

/**
 * Makes the role if it is missing, and grants it the existing tables. Call it after the migrations.
 * @throws DatabaseStartError when the tables belong to another user than ours
 */
export async function openTenantRole(db: Database): Promise<TenantRole> {
  const [facts] = await db.query(LOOK);
  if (facts === undefined) throw new Error("The database does not say who its user is.");
  if (facts.foreignTables.length > 0) {
    throw new DatabaseStartError(
      `The user "${facts.user}" of DATABASE_URL does not own the tables ${facts.foreignTables.join(", ")}. Connect as their owner, or give them to it: REASSIGN OWNED BY … TO "${facts.user}"`,
    );
  }
  const role = tenantRoleOf(facts.user);
  try {
    await repeatWhileOthersGrant(() =>
      db.transaction(async (tx) => {
        await tx.query(LOCK);
        await prepare(tx, role);
      }),
    );
    const open = await db.transaction((tx) => listOpenTables(tx, role));
    const spread = await db.transaction(isDistributed);
    if (spread && !(await db.transaction((tx) => openNodes(tx, role)))) {
      return {
        role: null,
        reason: `In this database, citus.propagate_set_commands is not "local". Run \`slipway distribute\` again, which sets it.`,
      };
    }
    if (open.length === 0) return { role, isDistributed: spread };
    return { role: null, reason: `The role "${role}" passes by the policies of ${open.join(", ")}.` };
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    return {
      role: null,
      reason: `The user "${facts.user}" may not make or use the role "${role}". Have a superuser run: CREATE ROLE ${quoteIdentifier(role)} NOLOGIN; GRANT ${quoteIdentifier(role)} TO ${quoteIdentifier(facts.user)}; and start again.`,
    };
  }
}

/**
 * Roles belong to a whole server. Each user has its own: with a common one, installations that share a server could
 * reach each other's tables. PostgreSQL takes 63 bytes.
 */
export function tenantRoleOf(user: string): string {
  const role = `${user}_tenant`;
  if (Buffer.byteLength(role) <= 63) return role;
  return `slipway_${createHash("sha256").update(user).digest("hex").slice(0, 16)}_tenant`;
}

async function prepare(tx: Transaction, role: string): Promise<void> {
  const name = quoteIdentifier(role);
  const [found] = await tx.query(FIND_ROLE, [role]);
  // The nodes of a Citus cluster connect to each other as the role of a transaction. Because the role has no password,
  // clients cannot log in with it.
  const mayLogIn = await isDistributed(tx);
  if (found === undefined) await tx.executeSql(`CREATE ROLE ${name} ${mayLogIn ? "LOGIN" : "NOLOGIN"}`);
  else if (mayLogIn && !found.mayLogIn) await tx.executeSql(`ALTER ROLE ${name} LOGIN`);
  const [member] = await tx.query(IS_MEMBER, [role]);
  if (member?.isMember !== true) {
    // Since PostgreSQL 16, the maker of a role may grant it, but not use it.
    const how = (member?.version ?? 0) >= 160_000 ? " WITH INHERIT FALSE, SET TRUE" : "";
    await tx.executeSql(`GRANT ${name} TO CURRENT_USER${how}`);
  }
  const missing = await tx.query(LIST_MISSING, [role]);
  const of = (kind: string): string =>
    missing
      .filter((one) => one.kind === kind)
      .map(({ object }) => object)
      .join(", ");
  if (of("schema") !== "") await tx.executeSql(`GRANT USAGE ON SCHEMA ${of("schema")} TO ${name}`);
  if (of("sequence") !== "") await tx.executeSql(`GRANT USAGE ON SEQUENCE ${of("sequence")} TO ${name}`);
  if (of("table") !== "")
    await tx.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${of("table")} TO ${name}`);
}

/** Tables of organizations in which the role would see all rows. */
async function listOpenTables(tx: Transaction, role: string): Promise<readonly string[]> {
  await tx.executeSql(`SET LOCAL ROLE ${quoteIdentifier(role)}`);
  return (await tx.query(LIST_OPEN)).map(({ name }) => name);
}

/**
 * Grants what the role needs on the nodes of a distributed database: the nodes draw numbers from sequences of their
 * own, and only a node can say whether it accepts the role.
 * @returns whether Citus passes on to the nodes whose rows a transaction may write
 * @throws DatabaseError
 */
async function openNodes(tx: Transaction, role: string): Promise<boolean> {
  const [setting] = await tx.query(IS_PROPAGATED);
  if (setting?.isLocal !== true) return false;
  await tx.executeSql(GRANT_ON_NODES, [quoteIdentifier(role)]);
  await tx.executeSql(`SET LOCAL ROLE ${quoteIdentifier(role)}`);
  await tx.query(READ_ROW, [""]);
  return true;
}

/** Retries, because processes that start on other databases of the server change the same catalogue rows. */
async function repeatWhileOthersGrant(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries >= TRIES || !(error instanceof DatabaseError && CONCURRENT.has(error.code))) throw error;
    }
  }
}

const TRIES = 20;
const INSUFFICIENT_PRIVILEGE = "42501";
/**
 * The role exists by now (`duplicate_object`, `unique_violation`), or "tuple concurrently updated" (`internal_error`).
 */
const CONCURRENT: ReadonlySet<string> = new Set(["42710", "23505", "XX000"]);

const LOCK = writeStatement("tenant_role_lock", "SELECT pg_advisory_xact_lock(7263413)");

const LOOK = readAsOwner<{ user: string; foreignTables: readonly string[] }>(
  "tenant_role_look",
  `SELECT current_user::text AS "user",
          (SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
              AND row_security_active(c.oid)) AS "foreignTables"`,
);

const FIND_ROLE = readAsOwner<{ mayLogIn: boolean }>(
  "tenant_role_find",
  `SELECT rolcanlogin AS "mayLogIn" FROM pg_roles WHERE rolname = $1`,
);

const IS_MEMBER = readAsOwner<{ isMember: boolean; version: number }>(
  "tenant_role_is_member",
  `SELECT version, pg_has_role(current_user, $1::name, CASE WHEN version >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS "isMember"
     FROM (SELECT current_setting('server_version_num')::int AS version) v`,
);

/** What the role may not use yet of our schema. It never gets what the database knows about itself. */
const LIST_MISSING = writeStatement<{ kind: string; object: string }>(
  "tenant_role_list_missing",
  `WITH schemas AS (
     SELECT oid, nspname FROM pg_namespace WHERE nspname = current_schema()
   ), objects AS (
     SELECT c.oid, c.relkind, c.oid::regclass::text AS object FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace
      WHERE c.relname NOT IN ('schema_migrations', 'installation_facts') AND pg_has_role(current_user, c.relowner, 'USAGE')
   )
   SELECT 'schema' AS kind, quote_ident(nspname) AS object FROM schemas
    WHERE NOT has_schema_privilege($1::name, oid, 'USAGE')
   UNION ALL
   SELECT CASE relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, object FROM objects
    WHERE NOT CASE
      WHEN relkind IN ('r', 'p') THEN
        has_table_privilege($1::name, oid, 'SELECT') AND has_table_privilege($1::name, oid, 'INSERT')
        AND has_table_privilege($1::name, oid, 'UPDATE') AND has_table_privilege($1::name, oid, 'DELETE')
      WHEN relkind = 'S' THEN has_sequence_privilege($1::name, oid, 'USAGE')
      ELSE true
    END`,
);

const GRANT_ON_NODES = `SELECT run_command_on_workers(
  format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %s', current_schema(), $1::text))`;

const IS_PROPAGATED = readAsOwner<{ isLocal: boolean }>(
  "tenant_role_is_propagated",
  `SELECT current_setting('citus.propagate_set_commands', true) = 'local' AS "isLocal"`,
);

const READ_ROW = readStatement<{ id: string }>(
  "tenant_role_read_row",
  "SELECT organization_id AS id FROM organizations WHERE organization_id = $1",
);

const LIST_OPEN = readAsOwner<{ name: string }>(
  "tenant_role_list_open",
  `SELECT c.relname::text AS name
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND NOT row_security_active(c.oid)`,
);
