/**
 * Processes that a command left behind in a folder. If commands have no process namespace of their own, a process
 * that leaves its group (`setsid`) outlives the command. Such a process is found by its folder and killed.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

/** Kills the processes in the folder. Without `/proc`, it finds none. */
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
    // A person who works in this folder has a terminal; commands have none.
    const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return fields.split(" ")[4] === "0";
  } catch (error) {
    // It has ended, or belongs to another user.
    if (isRefused(error)) return false;
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
