/**
 * Holds comments, strings and pages to plain English, and code to one name for each concept. Each pattern makes readers
 * stop, or names no actor. Part of `npm run check`.
 */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = path.join(import.meta.dirname, "..");
const FILES = [
  "{src,edge/src,sandbox/src,test,bench,scripts,sdk/src,cli/src}/**/*.ts",
  "console/app/**/*.{ts,tsx}",
  "console/*.{ts,js}",
  "bin/**/*.js",
  "*.md",
  "{docs,src,edge,sandbox,test,deploy,cli,sdk,console}/**/*.md",
];
/** Measurements are records of their day. */
const LEFT_OUT = /\/generated\/|^docs\/measurements\//;

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
  [
    /\bdesign,? section\b|\bthe brief\b|\bissue \d+\b/i,
    "Readers do not have this text. Say it here, or refer to a page of docs.",
  ],
];

/** Former names, each with its present name (docs/glossary.md). */
const FORMER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:poked?|poke[A-Z]\w*|markDue)\b/, "enqueue"],
  [/\b\w*[tT]akeSteps\b/, "createRunClaim"],
  [/\bendClaims\b/, "createClaimEnds"],
  [/\b\w*[gG]uardedExchange\b/, "SafeFetch"],
  [/\b(?:toldBy|tell[A-Z]\w*Event\w*)\b/, "outboxOf, emit"],
  [/\bnumberEvents\b/, "sequenceEvents"],
  [/\b\w*[fF]indPlace\b/, "Places (src/http/admission.ts), findZone"],
  [/\b(?:lookShares?|lookedUntil|looker[A-Z]\w*)\b/, "check partitions, checkedThrough"],
  [/\b(?:wantedState|seenState|ServiceSeen)\b/, "desired, observed"],
];
const CODE = /^(?:src|edge|sandbox|cli|sdk|test|bench)\/.*[.]ts$/;

function findFormerNames(file: string, text: string): readonly string[] {
  if (!CODE.test(file)) return [];
  return text.split("\n").flatMap((line, index) =>
    FORMER_NAMES.flatMap(([former, present]) => {
      const found = former.exec(line)?.[0];
      return found === undefined ? [] : [`${file}:${index + 1}: "${found}". Its name is: ${present}.`];
    }),
  );
}

function findStumbles(file: string, text: string): readonly string[] {
  const texts = file.endsWith(".md") ? [{ value: withoutCode(text), start: 0 }] : textsOf(file, text);
  return texts.flatMap(({ value, start }) => {
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

/** The lines of a page; those of code blocks are empty. */
function withoutCode(page: string): string {
  return page.replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ""));
}

function textsOf(file: string, text: string): readonly Text[] {
  const { comments, program } = parseSync(file, text);
  return [...comments, ...stringsOf(program)];
}

type Text = { readonly value: string; readonly start: number };

/** The strings of at least three words, which people read. */
function stringsOf(node: unknown): readonly Text[] {
  if (Array.isArray(node)) return node.flatMap(stringsOf);
  if (typeof node !== "object" || node === null) return [];
  const { type, value, start } = node as { type?: string; value?: unknown; start?: number };
  const isText = type === "Literal" || type === "TemplateElement" || type === "JSXText";
  const text = type === "TemplateElement" ? (value as { raw: string }).raw : value;
  if (isText && typeof text === "string" && start !== undefined)
    return text.trim().split(/\s+/).length < 3 ? [] : [{ value: text, start }];
  return Object.values(node).flatMap(stringsOf);
}

async function main(): Promise<void> {
  const faults: string[] = [];
  let files = 0;
  for await (const file of glob(FILES, { cwd: ROOT, exclude: ["**/node_modules/**"] })) {
    if (LEFT_OUT.test(file)) continue;
    files += 1;
    const text = await readFile(path.join(ROOT, file), "utf8");
    faults.push(...findStumbles(file, text), ...findFormerNames(file, text));
  }
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(`prose: ${files} files, ${faults.length} faults\n`);
  if (faults.length > 0) process.exitCode = 1;
}

await main();
