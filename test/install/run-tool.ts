import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

export const ROOT = path.join(import.meta.dirname, "../..");

/** Runs a program in the project's folder. @throws Error with what it said, when it fails */
export async function runTool(program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, [...args], {
      cwd: ROOT,
      maxBuffer: 64 * 1_048_576,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${path.basename(program)} ${args.join(" ")}:\n${stdout}${stderr}`, { cause: error });
  }
}
