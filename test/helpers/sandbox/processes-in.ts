import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** The processes of this machine that run inside a folder, even if their folder was deleted. */
export function listProcessesIn(folder: string): { folder: string; command: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const at = ofThisMachine(pid, readlinkSync(`/proc/${pid}/cwd`), folder);
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

/** A process with a file system of its own sees its folder at another path; its mounts say which folder it is. */
function ofThisMachine(pid: string, cwd: string, folder: string): string {
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, "utf8").split("\n");
  const root = mounts.map((line) => line.split(" ")).find(([, , , , at]) => at === cwd)?.[3] ?? "";
  // The path is relative to the file system, which may be mounted at any folder above.
  const names = folder.split("/");
  for (let above = 1; above < names.length; above += 1) {
    const tail = `/${names.slice(above).join("/")}`;
    if (root.startsWith(`${tail}/`)) return folder + root.slice(tail.length);
  }
  return cwd;
}
