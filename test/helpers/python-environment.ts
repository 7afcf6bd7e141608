import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A virtual environment of Python with these pinned packages, kept between runs and made anew when another
 * version is pinned. It is built aside and renamed, so that two runs at a time do not meet in one half made.
 * Programs are called as modules of Python, for their scripts know the folder they were installed in.
 * @returns the environment's Python
 */
export function openPythonEnvironment(name: string, packages: readonly string[]): string {
  const digest = createHash("sha256").update(packages.join("\n")).digest("hex").slice(0, 12);
  const folder = path.join(tmpdir(), `slipway-${name}-${process.getuid?.() ?? "user"}-${digest}`);
  const python = path.join("bin", "python");
  if (existsSync(folder)) return path.join(folder, python);
  const building = mkdtempSync(`${folder}-`);
  execFileSync("python3", ["-m", "venv", building], { stdio: "inherit" });
  const install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages];
  execFileSync(path.join(building, python), install, { stdio: "inherit" });
  try {
    renameSync(building, folder);
  } catch (error) {
    // Another run was first.
    if (!existsSync(folder)) throw error;
    rmSync(building, { recursive: true, force: true });
  }
  return path.join(folder, python);
}
