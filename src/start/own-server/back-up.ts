/** The folder of an own server in a backup: read from the server that runs, or from the folder itself. */
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { readHostLines } from "../../../sandbox/src/host/backup-stream.ts";
import { type HostTable, readHostTables } from "../../../sandbox/src/host/host-tables.ts";
import { SandboxStartError } from "../../../sandbox/src/start-error.ts";
import { openDocuments } from "../../../sandbox/src/state.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { Config } from "../config/config.ts";
import { hostFolder } from "../open/open-host.ts";
import { findServerPlace } from "./find-own-server.ts";

export { draftHost, type HostDraft, isHostTable } from "../../../sandbox/src/host/restore-tables.ts";

/** Whether Slipway runs on an own server, and did before. */
export function hasOwnServer(config: Config): boolean {
  if (config.ownServer === null) return false;
  return config.sandbox.url !== null || existsSync(path.join(hostFolder(config), "sandbox.db"));
}

/** @param config of an own server @throws OperatorError */
export async function* readOwnServerTables(config: Config): AsyncGenerator<HostTable> {
  const folder = hostFolder(config);
  const database = config.sandbox.url === null ? openIfFree(folder) : null;
  if (database !== null) {
    using opened = database;
    return yield* readHostTables(opened, folder);
  }
  const place = findServerPlace(config);
  if (place === null)
    throw new OperatorError(
      `A process uses ${folder}, and has not said where it listens. Try again when it has started.`,
    );
  yield* askServer(place);
}

function openIfFree(folder: string) {
  try {
    return openDocuments(folder);
  } catch (error) {
    if (error instanceof SandboxStartError) return null;
    throw error;
  }
}

async function* askServer({
  url,
  secret,
}: NonNullable<ReturnType<typeof findServerPlace>>): AsyncGenerator<HostTable> {
  try {
    const answer = await fetch(`${url}/host/backup`, {
      headers: { authorization: `Bearer ${secret}` },
      redirect: "error",
    });
    if (!answer.ok || answer.body === null) throw new Error(`It answered with status ${answer.status}.`);
    const input = Readable.fromWeb(answer.body);
    yield* readHostLines(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `The edge of this server at ${url} did not give a copy of its folder: ${reason} Check its log, and try again.`,
      { cause: error },
    );
  }
}
