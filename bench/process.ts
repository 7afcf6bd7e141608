/** What a process uses, read from /proc (proc(5)); Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { childrenOf } from "../test/helpers/processes/children.ts";

/** User and system time so far (fields 14 and 15 of `stat`, in ticks of 10 ms). */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Open file descriptors. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** CPU of a process and of the children that it has. */
export function cpuMsWithChildren(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + cpuMsOf(one), 0);
}
