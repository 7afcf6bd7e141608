/*
 * Compiles the package in whose folder it runs, so that a checkout can import it by its name. `npm ci` runs it (prepare).
 * Without the development's packages nothing is built, and nothing needs it: the service imports the sources. Plain
 * JavaScript for the Node that npm runs on.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const tsc = findCompiler();
if (tsc === null)
  process.stdout.write("Not compiled: TypeScript is not installed (npm ci without --omit=dev does).\n");
else {
  const { status, error } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
}

function findCompiler() {
  try {
    const file = createRequire(import.meta.url).resolve("typescript/package.json");
    return path.join(path.dirname(file), "bin/tsc");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}
