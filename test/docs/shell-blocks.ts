/** The fenced blocks of a page, and how its commands are run. */
import { spawn } from "node:child_process";

export type Block = { readonly language: string; readonly line: number; readonly text: string };

export function readBlocks(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const fences = /^( *)```(\S*)\n([\s\S]*?)^\1```$/gm;
  for (const found of page.matchAll(fences)) {
    const [, indent = "", language = "", text = ""] = found;
    const line = page.slice(0, found.index).split("\n").length;
    blocks.push({ language, line, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
  }
  return blocks;
}

/**
 * Runs a script as a reader's shell would, but that it ends with the first command that fails. What it started in the
 * background is ended with it.
 */
export async function runShell(
  script: string,
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
  },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { cwd, env, timeoutMs } = options;
  const child = spawn("sh", ["-eu", "-c", script], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, to be ended as a whole.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const killAll = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      // The process group has ended already.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  const timer = setTimeout(killAll, timeoutMs);
  const code = await new Promise<number | null>((resolve) => {
    child.once("exit", (exitCode) => resolve(exitCode));
  });
  clearTimeout(timer);
  killAll();
  return { code, output };
}
