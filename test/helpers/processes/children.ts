import { readFileSync } from "node:fs";

/** The processes that a process of Node started and that still run (proc(5)). Linux only. */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}
