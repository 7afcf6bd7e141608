/** Holds comments to plain English: each pattern makes readers stop, or names no actor. Part of `npm run check`. */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = path.join(import.meta.dirname, "..");
const FILES = [
  "{src,sandbox/src,test,bench,scripts,sdk/src,cli/src}/**/*.ts",
  "console/app/**/*.{ts,tsx}",
  "console/*.{ts,js}",
  "bin/**/*.js",
];
const GENERATED = /\/generated\//;

/** What to write instead, by pattern. Code in backquotes does not count. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:whoever|nobody|somebody|everybody|anybody)\b/i,
    "Name the role: caller, client, customer, admin, worker.",
  ],
  [/\b(?:ones?|those) (?:that|which|who)\b/i, "Name the thing: the record that, the requests that."],
  [/(?:^|[.;:] )(?:What|Who|Which) (?:is|was|has|may|can|are|were|had)\b(?![^.]*\?)/, "Begin with a noun."],
  [/(?<!\b(?:let|stand)) alone\b/, "Write `only`."],
  [/\bso (?:many|much|long|few)\b(?! that)/, "Give the number, or the condition."],
  [/(?<!\bthere )\b(?:is|are|was) no (?!longer|more|other)[a-z]/i, "Write `is not a`, or `has no`."],
  [/\b(?:told|tells?|telling)\b/i, "Write `notify`, `emit`, `say` or `report`."],
  [/\b(?:goes|went|go|going) on\b/, "Write `continue`."],
  [/\b(?:is|are|was) over\b(?! \d)/, "Write `has ended` or `has expired`."],
  [/\b(?:is|are|was|were|has|have) gone\b/, "Write `is deleted`, `has ended` or `is lost`."],
  [/\bby (?:itself|themselves)\b/, "Write `automatically`, `on its own` or `alone`."],
  [/\b(?:would else|in vain)\b/, "Write it with `otherwise`, or `without effect`."],
];

function findStumbles(file: string, text: string): readonly string[] {
  const { comments } = parseSync(file, text);
  return comments.flatMap(({ value, start }) => {
    const firstLine = text.slice(0, start).split("\n").length;
    return value.split("\n").flatMap((line, index) => {
      const prose = line.replace(/^[\s*]+/, "").replaceAll(/`[^`]*`/g, "``");
      return PATTERNS.flatMap(([pattern, instead]) => {
        const found = pattern.exec(prose)?.[0].trim();
        return found === undefined ? [] : [`${file}:${firstLine + index}: "${found}". ${instead}`];
      });
    });
  });
}

async function main(): Promise<void> {
  const faults: string[] = [];
  let files = 0;
  for await (const file of glob(FILES, { cwd: ROOT, exclude: ["**/node_modules/**"] })) {
    if (GENERATED.test(file)) continue;
    files += 1;
    faults.push(...findStumbles(file, await readFile(path.join(ROOT, file), "utf8")));
  }
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(`prose: ${files} files, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}

await main();
