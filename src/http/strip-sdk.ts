/**
 * Writes the modules of the SDK, without their types, as JSON to standard output. `console-routes.ts` runs it as a
 * program of its own, because Node warns of the function as experimental.
 */
import { glob, readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";

const [, , folder = ""] = process.argv;
const modules: Record<string, string> = {};
for await (const name of glob("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts"] })) {
  const text = await readFile(path.join(folder, name), "utf8");
  // What is left of types alone is white space.
  modules[name.replaceAll(path.sep, "/")] = stripTypeScriptTypes(text).replaceAll(/\s+$/gm, "");
}
process.stdout.write(JSON.stringify(modules));
