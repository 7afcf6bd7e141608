/**
 * The embedded database in a process of its own. It works in the thread that asks it, so that in our own process all
 * requests would wait for every statement of one. A thread does not do: V8 has a race in what it knows of WebAssembly's
 * pages, which ends processes that run PGlite beside other threads
 * (docs/decisions/0021-embedded-database-in-a-process.md).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { compileCache } from "../../../lib/compile-cache.ts";

export type EmbeddedProcess = {
  /** A connection in PostgreSQL's protocol. The process closes the database and ends with it. */
  readonly stream: Duplex;
  /** Resolves when the process has ended, with the reason; null if it was asked to. */
  readonly ended: Promise<string | null>;
};

const PROGRAM = fileURLToPath(new URL("process-main.ts", import.meta.url));
/** Standard error has the reason of its end, and nothing else. */
const FLAGS = ["--no-warnings"];
/** Longer than any reason of ours; V8's own are long. */
const REASON_CHARS = 500;

/** Starts the process. It inherits the umask and that core dumps contain no memory, but none of our environment. */
export function startEmbeddedProcess(folder: string): EmbeddedProcess {
  const child = spawn(process.execPath, [...FLAGS, PROGRAM, folder], {
    env: compileCache(),
    // What a pipe is on Windows, if a process is to read it without waiting.
    stdio: ["ignore", "ignore", "pipe", "overlapped"],
    windowsHide: true,
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Socket)) throw new Error("The process of the embedded database has no pipe.");
  // It is connected from the beginning, but `pg` connects what it is given.
  const connect = (): Socket => {
    setImmediate(() => stream.emit("connect"));
    return stream;
  };
  return { stream: Object.assign(stream, { connect }), ended: findReason(child) };
}

async function findReason(child: ChildProcess): Promise<string | null> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(0, REASON_CHARS);
  });
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? null : said.trim() || `it ended with ${signal ?? String(code)}`);
    });
  });
}
