/** The program of the process that `process.ts` starts: PGlite, which answers PostgreSQL's protocol on the pipe. */
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { lockDatabase } from "../data-dir-lock.ts";
import { createMessageBatches, TERMINATE } from "./batches.ts";
import { PrivateFiles } from "./private-files.ts";

const PIPE = 3;
const STDERR = 2;
/** What PGlite throws inside itself for an error of a statement, which it then answers (its `POSTGRES_MAIN_LONGJMP`). */
const FAILED_STATEMENT = 100;

/** Pages that are cached here and by the system too; PGlite's default of 128 MB is written once at the start. */
const SETTINGS = ["-c", "shared_buffers=16MB"];

// Ctrl-C goes to all processes of a terminal, and a service manager may signal all of a service. Slipway drains then,
// and needs its database until the end. SIGUSR1 would open Node's inspector.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"]) process.on(signal, () => undefined);

/** Ends this process at once; the log of the database has what was committed. */
function fail(error: unknown): never {
  try {
    // A thrown value that is not an Error has a number of PGlite's own file system, which means nothing to a reader.
    writeSync(STDERR, error instanceof Error ? error.message : "it cannot use its files");
  } finally {
    process.exit(1);
  }
}

/**
 * PGlite continues after an error of WebAssembly itself, such as a stack that overflowed, although nothing is known of
 * its memory then. The next process begins with what is on the disk.
 */
function failWithMemory(pglite: PGlite): void {
  const { Module: module } = pglite;
  const takeStatement = module._PostgresMainLoopOnce.bind(module);
  module._PostgresMainLoopOnce = () => {
    try {
      takeStatement();
    } catch (error) {
      if (error instanceof Error || (error as { status?: unknown }).status !== FAILED_STATEMENT) fail(error);
      throw error;
    }
  };
}

async function main(folder: string): Promise<void> {
  const lock = lockDatabase(folder);
  process.once("exit", () => lock.release());
  const pglite = await PGlite.create({
    fs: new PrivateFiles(folder),
    startParams: [...PGlite.defaultStartParams, ...SETTINGS],
  });
  failWithMemory(pglite);
  const pipe = new Socket({ fd: PIPE, allowHalfOpen: true });
  const takeBatches = createMessageBatches();
  let isClosing = false;

  async function answer(batch: Buffer): Promise<void> {
    if (batch[0] === TERMINATE) {
      isClosing = true;
      await pglite.close();
      process.exit(0);
    }
    pipe.cork();
    // It has answered when it returns; there is nothing to wait for with files that it writes through.
    const synced = pglite.execProtocolRawStream(batch, {
      // A copy, because these bytes are PGlite's memory.
      onRawData: (bytes) => void pipe.write(Buffer.from(bytes)),
    });
    pipe.uncork();
    await synced;
  }

  pipe.on("data", (bytes) => {
    for (const batch of takeBatches(bytes)) answer(batch).catch(fail);
  });
  pipe.on("error", fail);
  pipe.on("end", () => {
    // Slipway ended without a word.
    if (!isClosing) process.exit(1);
  });
  flushCompileCache();
}

main(process.argv[2] ?? "").catch(fail);
