/**
 * Writes `dist/`, the part of the packed server that runs: Node strips no types from files under `node_modules`, so
 * every module becomes JavaScript, at the same place of the same tree. Lines and columns stay, so that a stack leads to
 * the source. `npm pack` runs it.
 */
import { existsSync } from "node:fs";
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { buildIfStale } from "../console/build.js";

const ROOT = path.join(import.meta.dirname, "..");
const DIST = path.join(ROOT, "dist");
const TESTS = ["**/*.test.ts", "**/testing/**", "**/testing*.ts"];

const unbuilt = buildIfStale();
if (unbuilt !== null) throw new Error(unbuilt);
await rm(DIST, { recursive: true, force: true });
for await (const file of glob("{src,sandbox/src,cli/src,sdk/src}/**/*.ts", { cwd: ROOT, exclude: TESTS })) {
  const at = path.join(ROOT, file);
  const text = await readFile(at, "utf8");
  const written = path.join(DIST, file.replace(/ts$/, "js"));
  await mkdir(path.dirname(written), { recursive: true });
  await writeFile(written, toJavaScript(text, path.dirname(at)));
}
// What modules read at run time, the release's number among it; and the console.
const FILES = "{package.json,src/**/*.{sql,yaml},console/dist/**/*.{html,js,css,svg,br,gz}}";
for await (const file of glob(FILES, { cwd: ROOT, exclude: TESTS })) {
  await cp(path.join(ROOT, file), path.join(DIST, file));
}

/** Without types; a literal that names a module of ours, such as of an import or of a worker, names what it becomes. */
function toJavaScript(text: string, folder: string): string {
  return stripTypeScriptTypes(text).replaceAll(/"([\w./-]+)[.]ts"/g, (literal, name: string) =>
    existsSync(path.join(folder, `${name}.ts`)) ? `"${name}.js"` : literal,
  );
}
