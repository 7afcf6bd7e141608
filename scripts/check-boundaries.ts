/** Holds every import of the project against `boundaries.ts`. Part of `npm run check`. */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { findCircles, findViolations } from "./boundaries.ts";

const root = path.join(import.meta.dirname, "..");

type Import = { readonly specifier: string; readonly target: string };

/** All imports of a file, those of types and dynamic ones with a fixed text too. */
export function importsOf(file: string, text: string): readonly Import[] {
  const { module } = parseSync(file, text);
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const fixed = /^["'](?<specifier>[^"']+)["']$/.exec(text.slice(start, end));
    return fixed?.groups?.["specifier"] ?? [];
  });
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    ...dynamic,
  ];
  return specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : specifier,
  }));
}

async function main(): Promise<void> {
  const files: string[] = [];
  for await (const file of glob(["{src,test,bench,scripts}/**/*.ts", "console/**/*.js"], { cwd: root }))
    files.push(file);
  const uses: (readonly [string, string])[] = [];
  const faults: string[] = [];
  for (const file of files.toSorted()) {
    const imports = importsOf(file, await readFile(path.join(root, file), "utf8"));
    for (const { target } of imports) if (target.startsWith("src/")) uses.push([file, target]);
    for (const { specifier, rule } of findViolations(file, imports))
      faults.push(`${file}: "${specifier}": ${rule}`);
  }
  for (const folder of findCircles(uses)) faults.push(`${folder}: it uses a folder beside it that uses it.`);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.stdout.write(`boundaries: ${files.length} files, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
