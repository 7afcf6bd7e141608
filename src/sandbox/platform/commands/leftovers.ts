/**
 * Processes that a command left behind in a folder. Where commands have no process namespace of their own, one
 * that leaves its group (`setsid`) outlives it; what is still in the folder then is found and ended.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

/** Kills what runs in the folder; where there is no `/proc`, nothing is found. */
export function endLeftovers(folder: string): void {
  const at = realpathSync(folder);
  for (const pid of listPids()) {
    if (pid === process.pid || !isIn(pid, at)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
}

function listPids(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch (error) {
    if (isRefused(error)) return [];
    throw error;
  }
}

function isIn(pid: number, folder: string): boolean {
  try {
    if (!`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) return false;
    // Somebody who looks around there has a terminal; no command has one.
    const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return fields.split(" ")[4] === "0";
  } catch (error) {
    // It ended meanwhile, or is another user's.
    if (isRefused(error)) return false;
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
