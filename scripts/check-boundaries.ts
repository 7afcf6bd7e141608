/** Holds every import of the project against `boundaries.ts`. Part of `npm run check`. */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { findCircles, findMisplacement, findViolations, isInRooms } from "./boundaries.ts";

const root = path.join(import.meta.dirname, "..");

type Import = { readonly specifier: string; readonly target: string };

/** Imports of a type, of a comment (JSDoc), and dynamic ones with a fixed text. */
const IN_TEXT = /\bimport\(\s*(["'`])(?<called>[^"'`$]+)\1|@import\b[^"'\n]*["'](?<tag>[^"']+)["']/g;

/** All imports of a file, those of types and in comments too. */
export function importsOf(file: string, text: string): readonly Import[] {
  const { module } = parseSync(file, text);
  const inText = [...text.matchAll(IN_TEXT)].flatMap(
    ({ groups }) => groups?.["called"] ?? groups?.["tag"] ?? [],
  );
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    ...inText,
  ];
  return specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : specifier,
  }));
}

async function main(): Promise<void> {
  const files: string[] = [];
  for await (const file of glob(
    [
      "{src,edge/src,sandbox/src,test,bench,scripts,sdk/src,cli/src}/**/*.ts",
      "console/app/**/*.{ts,tsx}",
      "console/*.{ts,js}",
      "bin/**/*.js",
    ],
    {
      cwd: root,
    },
  ))
    files.push(file);
  const uses: (readonly [string, string])[] = [];
  const faults: string[] = [];
  for (const file of files.toSorted()) {
    const imports = importsOf(file, await readFile(path.join(root, file), "utf8"));
    for (const { target } of imports) if (isInRooms(target)) uses.push([file, target]);
    const misplacement = findMisplacement(file);
    if (misplacement !== null) faults.push(`${file}: ${misplacement}`);
    for (const { specifier, rule } of findViolations(file, imports))
      faults.push(`${file}: "${specifier}": ${rule}`);
  }
  // A circle of rooms or of features has an import against their order, which is reported above.
  const circles = faults.length === 0 ? findCircles(uses) : [];
  for (const { file, target, from, to } of circles)
    faults.push(
      `${file}: it uses ${target}, and ${to} also uses ${from}. Let folders point one way: move what both need below them.`,
    );
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.stdout.write(`boundaries: ${files.length} files, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
