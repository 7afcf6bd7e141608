/**
 * The part of a backup that is an own server's folder, as tables of rows: its documents, and the files of the builds that
 * its releases need. Keys of certificates and managed values in it are sealed.
 */
import { existsSync } from "node:fs";
import { lstat, open, opendir, readlink } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { BUILDS_FOLDER, type StoredBuild, type StoredRelease } from "../platform/store.ts";

/** Rows are lines of JSON, some at a time: arrays of texts. */
export type HostTable = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly string[]>;
};

export const DOCUMENTS = "host.documents";
export const FILES = "host.files";
const COLUMNS = {
  [DOCUMENTS]: ["collection", "id", "body"],
  /** `part` counts the pieces of a file. `kind`: folder, file (its content in base64) or link (its target). */
  [FILES]: ["path", "part", "kind", "mode", "content"],
} as const;
const BATCH_CHARS = 500_000;
const PIECE_BYTES = 256 * 1024;

/** @param dataDir the server's folder; `database` has its documents, or a copy of them */
export async function* readHostTables(database: DatabaseSync, dataDir: string): AsyncGenerator<HostTable> {
  const builds = findNeededBuilds(database);
  yield { name: DOCUMENTS, columns: COLUMNS[DOCUMENTS], rows: batched(readDocuments(database, builds)) };
  yield { name: FILES, columns: COLUMNS[FILES], rows: batched(readFiles(dataDir, builds)) };
}

/** The builds of running releases, and the newest of each service, whose release may be about to start. */
function findNeededBuilds(database: DatabaseSync): ReadonlySet<string> {
  const newest = new Map<string, string>();
  for (const { id, accountId, input, hasArtifact } of documentsOf(
    database,
    "platform-builds",
  ) as StoredBuild[])
    if (hasArtifact) newest.set(`${accountId}/${input.service.serviceId}`, id);
  const needed = new Set(newest.values());
  for (const { status, input } of documentsOf(database, "platform-releases") as StoredRelease[])
    if (status === "LIVE" || status === "STARTING") needed.add(input.artifact);
  return needed;
}

function documentsOf(database: DatabaseSync, collection: string): readonly unknown[] {
  const select = database.prepare("select body from documents where collection = ? order by id");
  return select.all(collection).map(({ body }) => JSON.parse(String(body)) as unknown);
}

async function* readDocuments(
  database: DatabaseSync,
  builds: ReadonlySet<string>,
): AsyncGenerator<readonly string[]> {
  const select = database.prepare("select collection, id, body from documents order by collection, id");
  for (const row of select.iterate()) {
    const [collection, id, body] = [String(row["collection"]), String(row["id"]), String(row["body"])];
    const isLeftOut = collection === "platform-builds" && !builds.has(id);
    yield [collection, id, isLeftOut ? withoutArtifact(body) : body];
  }
}

/** As after the removal of its files, which a rollback to it finds missing. */
function withoutArtifact(body: string): string {
  return JSON.stringify({ ...(JSON.parse(body) as StoredBuild), hasArtifact: false });
}

async function* readFiles(dataDir: string, builds: ReadonlySet<string>): AsyncGenerator<readonly string[]> {
  for (const id of builds) {
    const folder = path.join(BUILDS_FOLDER, id);
    yield* readTree(dataDir, path.join(folder, "source"));
    // Sites have none.
    const home = path.join(folder, "home");
    if (existsSync(path.join(dataDir, home))) yield* readTree(dataDir, home);
  }
}

/** Sockets and pipes that a build left are not copied. @throws if it is removed meanwhile */
async function* readTree(root: string, at: string): AsyncGenerator<readonly string[]> {
  const place = path.join(root, at);
  const stats = await lstat(place);
  const mode = (stats.mode & 0o777).toString(8);
  if (stats.isSymbolicLink()) yield [at, "0", "link", mode, await readlink(place)];
  else if (stats.isDirectory()) {
    yield [at, "0", "folder", mode, ""];
    for await (const { name } of await opendir(place)) yield* readTree(root, path.join(at, name));
  } else if (stats.isFile()) {
    await using file = await open(place);
    for (let part = 0; ; part += 1) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(PIECE_BYTES) });
      if (bytesRead === 0 && part > 0) return;
      yield [at, String(part), "file", mode, buffer.subarray(0, bytesRead).toString("base64")];
      if (bytesRead < PIECE_BYTES) return;
    }
  }
}

async function* batched(rows: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let chars = 0;
  for await (const row of rows) {
    const line = JSON.stringify(row);
    batch.push(line);
    chars += line.length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
