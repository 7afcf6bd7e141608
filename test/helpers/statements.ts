/**
 * Every named statement of the source, as the program makes it: with all that functions and constants put into it. A
 * process of its own loads the modules with a `database.ts` that notes what is named in it.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

export type NamedStatement = {
  readonly name: string;
  readonly text: string;
  readonly isRead: boolean;
  readonly runsAsOwner: boolean;
};

const SOURCE = path.join(import.meta.dirname, "../../src");

const NOTING = `
globalThis[Symbol.for("slipway.statements")] ??= [];
function note(statement) {
  globalThis[Symbol.for("slipway.statements")].push(statement);
  return statement;
}
`;

export async function loadStatements(): Promise<readonly NamedStatement[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], {
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout) as readonly NamedStatement[];
}

async function printStatements(): Promise<void> {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith("/src/db/database.ts")) return loaded;
      const text = readFileSync(new URL(url), "utf8").replaceAll(
        /return (\{ name, text, isRead: \w+, runsAsOwner: \w+ \});/g,
        "return note($1);",
      );
      return { ...loaded, source: `${text}\n${NOTING}` };
    },
  });
  for await (const file of glob("**/*.ts", { cwd: SOURCE })) {
    if (file.endsWith(".test.ts")) continue;
    // Not all others: some begin to work when they are loaded.
    const text = await readFile(path.join(SOURCE, file), "utf8");
    if (/\b(?:readStatement|readAsOwner|writeStatement|pagedStatement)[<(]/.test(text))
      await import(path.join(SOURCE, file));
  }
  const noted = (globalThis as Record<symbol, unknown>)[Symbol.for("slipway.statements")];
  process.stdout.write(JSON.stringify(noted));
}

if (import.meta.main) await printStatements();
