/** Requests by h2load (Debian's `nghttp2-client`) to a server of `bench/edge.ts`. */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { cpuMsOf } from "./process.ts";

/** A server, and the processes that it consists of. */
export type Side = { readonly pids: readonly number[]; readonly port: number };
export type Result = { readonly perSecond: number; readonly p99Ms: number; readonly cpuMs: number };

const run = promisify(execFile);

/** @param args of h2load; each connection makes its share of the requests */
export async function load(
  { pids, port }: Side,
  name: string,
  logFile: string,
  count: number,
  ...args: string[]
): Promise<Result> {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const before = cpu();
  const { stdout } = await run("h2load", [
    "-n",
    String(count),
    `--log-file=${logFile}`,
    `--connect-to=127.0.0.1:${port}`,
    ...args,
    `https://${name}/`,
  ]);
  const cpuMs = (cpu() - before) / count;
  const succeeded = Number(/ (\d+) succeeded/.exec(stdout)?.[1]);
  if (succeeded !== count) throw new Error(stdout);
  const log = (await readFile(logFile, "utf8")).trim().split("\n");
  await rm(logFile);
  const times = log.map((line) => Number(line.split("\t")[2]) / 1_000).toSorted((a, b) => a - b);
  return {
    perSecond:
      count /
      (Number(/finished in ([\d.]+)(?<unit>m?)s/.exec(stdout)?.[1]) / (stdout.includes("ms,") ? 1_000 : 1)),
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    cpuMs,
  };
}
