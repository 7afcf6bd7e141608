import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** The processes of this machine that run inside a folder, even if their folder was deleted. */
export function listProcessesIn(folder: string): { folder: string; command: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const at = readlinkSync(`/proc/${pid}/cwd`);
      if (!at.startsWith(`${folder}/`)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ folder: path.relative(folder, at), command }];
    } catch (error) {
      // It has ended, or belongs to another user.
      if (error instanceof Error && "code" in error) return [];
      throw error;
    }
  });
}
