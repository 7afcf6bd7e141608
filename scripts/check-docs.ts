/**
 * Holds the Markdown pages to what a reader needs: links lead somewhere, to the
 * heading too, pages that comments name exist, lines are at most 120
 * characters long, commands that pages name exist, and the page of events is what the features declare.
 * Part of `npm run check`.
 */
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { EVENT_CATALOGUE } from "../src/start/event-catalogue.ts";
import { renderEventsPage } from "./events-page.ts";
import { TABLE } from "../cli/src/table.ts";
import { renderCommandPage } from "./cli-page.ts";

const ROOT = path.join(import.meta.dirname, "..");
const LINE_MAX = 120;
/** `[text](link "title")`, or `[name]: link` on a line of its own. */
const LINK = /\]\((?<inline>[^)\s]+)(?:\s+"[^"]*")?\)|^\s*\[[^\]]+\]:\s*(?<reference>\S+)/g;

type Page = {
  readonly file: string;
  readonly lines: readonly string[];
  readonly anchors: ReadonlySet<string>;
};

/** Lines outside of code blocks, by their number. */
function proseOf(lines: readonly string[]): readonly (readonly [number, string])[] {
  const found: (readonly [number, string])[] = [];
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    const isFence = line.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    else if (!isCode) found.push([index + 1, line]);
  }
  return found;
}

/** As the git hosts make them of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** A table's row has to be one line, and a word that is longer than a line cannot be broken. */
function isTooLong(line: string): boolean {
  if (line.length <= LINE_MAX || line.startsWith("|")) return false;
  return line
    .trim()
    .slice(0, LINE_MAX)
    .replace(/^(?:[-*]|\d+[.]) +/, "")
    .includes(" ");
}

async function readPages(): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  for await (const file of glob(
    ["*.md", "{docs,src,test,bench,console,scripts}/**/*.md", "{sdk,cli,sandbox}/*.md"],
    {
      cwd: ROOT,
    },
  )) {
    const lines = (await readFile(path.join(ROOT, file), "utf8")).split("\n");
    const headings = proseOf(lines).flatMap(
      ([, line]) => /^#+ (?<text>.*)$/.exec(line)?.groups?.["text"] ?? [],
    );
    pages.set(file, { file, lines, anchors: new Set(headings.map(anchorOf)) });
  }
  return pages;
}

async function exists(file: string): Promise<boolean> {
  for await (const _found of glob(file, { cwd: ROOT })) return true;
  return false;
}

async function findFaults(page: Page, pages: ReadonlyMap<string, Page>): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [number, line] of proseOf(page.lines)) {
    const at = `${page.file}:${number}`;
    if (isTooLong(line))
      faults.push(`${at}: the line has ${line.length} characters. Break it: at most ${LINE_MAX}.`);
    for (const [, inline, reference] of line.replaceAll(/`[^`]*`/g, "").matchAll(LINK)) {
      const link = inline ?? reference ?? "";
      if (/^(?:https?|mailto):/.test(link)) continue;
      const [to = "", anchor] = link.split("#");
      const target = to === "" ? page.file : path.posix.join(path.posix.dirname(page.file), to);
      if (!(await exists(target))) faults.push(`${at}: the link leads to ${target}, which does not exist.`);
      else if (anchor !== undefined && pages.get(target)?.anchors.has(anchor) === false)
        faults.push(`${at}: the link leads to #${anchor}, and ${target} has no such heading.`);
    }
  }
  return faults;
}

/** Pages that comments name. */
async function findDeadMentions(): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const file of glob("{src,edge/src,sandbox/src,test,bench,scripts,sdk/src,cli/src}/**/*.ts", {
    cwd: ROOT,
  })) {
    const text = await readFile(path.join(ROOT, file), "utf8");
    for (const [page] of text.matchAll(/\bdocs\/[\w/-]+[.]md\b/g))
      if (!(await exists(page))) faults.push(`${file}: it names ${page}, which does not exist.`);
  }
  return faults;
}

/** The page of the command line says what its table says. */
async function findOldPages(): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, "docs/reference/cli.md"), "utf8");
  return text === renderCommandPage() ? [] : ["docs/reference/cli.md is old: run npm run docs:cli."];
}

const EVENTS_PAGE = "docs/reference/events.md";

function findOldEventsPage(page: Page | undefined): readonly string[] {
  const isNew = page?.lines.join("\n") === renderEventsPage(EVENT_CATALOGUE);
  return isNew ? [] : [`${EVENTS_PAGE} does not say what the features declare. Run npm run docs:events.`];
}

/** Commands of users that a page names, in code. Operators' commands have no groups. */
function findUnknownCommands({ file, lines }: Page): readonly string[] {
  const words = new Set(TABLE.commands.map((command) => command.words));
  const groups = new Set(TABLE.groups.map(({ word }) => word));
  const code = lines.join("\n").matchAll(/^```[^]*?^```|`[^`]+`/gm);
  return [...code].flatMap(([text]) =>
    [...text.matchAll(/\bslipway\s+([a-z-]+)\s+([a-z-]+)/g)].flatMap(([, group = "", verb = ""]) =>
      !groups.has(group) || verb.startsWith("-") || words.has(`${group} ${verb}`)
        ? []
        : [`${file}: there is no command slipway ${group} ${verb}.`],
    ),
  );
}

const pages = await readPages();
const faults = [
  ...(await Promise.all([...pages.values()].map((page) => findFaults(page, pages)))).flat(),
  ...[...pages.values()].flatMap(findUnknownCommands),
  ...(await findDeadMentions()),
  ...findOldEventsPage(pages.get(EVENTS_PAGE)),
  ...(await findOldPages()),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`docs: ${pages.size} pages, ${faults.length} faults\n`);
if (faults.length > 0) process.exitCode = 1;
