import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** The processes of this machine that run inside a folder, those whose folder is deleted included. */
export function listProcessesIn(folder: string): { folder: string; command: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const at = readlinkSync(`/proc/${pid}/cwd`);
      if (!at.startsWith(`${folder}/`)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ folder: path.relative(folder, at), command }];
    } catch (error) {
      // It ended while it was looked at, or is another user's.
      if (error instanceof Error && "code" in error) return [];
      throw error;
    }
  });
}
