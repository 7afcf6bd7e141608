/**
 * `slipway move --to DATABASE_URL`: the installation continues in another database. Both databases take part in the end
 * of the move. A service starts on neither of them until it is certain which one it has to use:
 *
 *     target is unfinished ── all rows are there ──▶ source is marked as moved ──▶ target is no longer unfinished
 *
 * Until the source is marked, it is unchanged. If the move is interrupted between the last two steps, run `move --to`
 * again to complete it.
 */
import { randomUUID } from "node:crypto";
import { copyInTransaction, listApplied, readRows, readSequences } from "../db/copy/read-rows.ts";
import { listSequences, listTables } from "../db/copy/tables.ts";
import { type CopySource, holdOffMigrations, holdOffWrites } from "../db/copy/write-rows.ts";
import { type Database, readStatement, type Transaction } from "../db/database.ts";
import { findFact, hasFacts, recordFact, removeFact } from "../db/facts.ts";
import { migrate } from "../db/migrate.ts";
import { takeOverClaims } from "../jobs/claims.ts";
import { readRelease } from "../lib/release.ts";
import { type Config, readConfig } from "../start/config/config.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { fillDatabase } from "./fill-database.ts";
import { openInstalled, openPostgres, withOpen } from "./open-database.ts";

/** The name that distinguishes our connections from the connections of a running service. */
const OURS = "slipway-move";

/** @throws OperatorError, CopyError, DataDirInUseError, DatabaseStartError, UnusableDatabaseError */
export async function moveInstallation(to: string): Promise<void> {
  const config = readConfig();
  await withOpen(openInstalled(config, OURS), async (source) => {
    await withOpen(openPostgres(to, OURS), async (target) => {
      if (await endEarlierMove(source, target)) return;
      await migrate(source);
      const copied = await copyInTransaction(source, async (tx) => {
        await holdOffMigrations(tx);
        await refuseOthers(tx);
        await holdOffWrites(tx);
        const move = randomUUID();
        const copy = {
          from: nameOf(config),
          release: readRelease(),
          schema: await listApplied(tx),
          source: rowsOf(tx),
          move,
        };
        const copied = await fillDatabase(target, copy, { keepsMark: true });
        await recordFact(tx, "moved", { to: redact(to), move });
        return copied;
      });
      await end(target);
      process.stdout.write(`Moved ${copied.rows} rows of ${copied.tables} tables. ${NEXT}\n`);
    });
  });
}

/** `slipway move --undo` @throws OperatorError */
export async function undoMove(): Promise<void> {
  const config = readConfig();
  await withOpen(openInstalled(config, OURS), async (db) => {
    const moved = (await hasFacts(db)) ? await findFact(db, "moved") : null;
    if (moved === null) throw new OperatorError(`The installation did not move away from ${nameOf(config)}.`);
    await removeFact(db, "moved");
    process.stdout.write(
      `The service can start on this database again. Do not start it on ${moved.fact.to} any more: two would undo each other's work.\n`,
    );
  });
}

const NEXT =
  "Set DATABASE_URL to the new database and start the service: it continues where it was. The old database is as it was, and marked as moved, so that no service starts on it.";

/** Completes a move that was interrupted after it marked the source. @returns whether there was such a move */
async function endEarlierMove(source: Database, target: Database): Promise<boolean> {
  if (!(await hasFacts(source)) || !(await hasFacts(target))) return false;
  const moved = await findFact(source, "moved");
  const unfinished = await findFact(target, "unfinished");
  if (moved === null || moved.fact.move !== unfinished?.fact.move) return false;
  await end(target);
  process.stdout.write(`All rows were there already: the move is complete. ${NEXT}\n`);
  return true;
}

async function end(target: Database): Promise<void> {
  // The workers that held these claims no longer run.
  await takeOverClaims(target);
  await removeFact(target, "unfinished");
}

function rowsOf(tx: Transaction): CopySource {
  return {
    async *tables() {
      for (const table of await listTables(tx)) {
        yield { name: table.name, columns: table.columns.map(({ name }) => name), rows: readRows(tx, table) };
      }
    },
    sequences: async () => await readSequences(tx, await listSequences(tx)),
  };
}

/** A running service would continue to write into the source after the move. @throws OperatorError */
async function refuseOthers(tx: Transaction): Promise<void> {
  const others = await tx.query(LIST_OTHERS, [OURS]);
  if (others.length === 0) return;
  throw new OperatorError(
    `${others.length} other connections to the database are open (${[...new Set(others.map(({ who }) => who))].join(", ")}). Stop the service on all machines, close other sessions, and run the command again.`,
  );
}

/** How messages name the configured database. */
function nameOf({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null ? dataDir : redact(databaseUrl);
}

/** Without user, password and options. */
function redact(url: string): string {
  return url.replace(/\/\/.*@/, "//").replace(/\?.*$/, "");
}

/** Of the embedded database there are none. Citus keeps connections between its nodes, which serve sessions of ours. */
const LIST_OTHERS = readStatement<{ who: string }>(
  "move_list_others",
  `SELECT coalesce(nullif(application_name, '') || ' at ', '') || coalesce(client_addr::text, 'a local socket') AS who
     FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> $1
      AND application_name NOT LIKE 'citus\\_internal %' AND pid <> pg_backend_pid()`,
);
