/**
 * Every named statement of the source, as the program makes it: with all that functions and constants put into it. The
 * modules are loaded with a `database.ts` that notes what is named in it.
 */
import { readFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import path from "node:path";

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

/** Call it before anything else has loaded `src/db/database.ts` in this process. */
export async function loadStatements(): Promise<readonly NamedStatement[]> {
  const hooks = registerHooks({
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
  try {
    for await (const file of glob("**/*.ts", { cwd: SOURCE })) {
      if (file.endsWith(".test.ts")) continue;
      // Not all others: some begin to work when they are loaded.
      const text = await readFile(path.join(SOURCE, file), "utf8");
      if (/\b(?:readStatement|readAsOwner|writeStatement|pagedStatement)[<(]/.test(text))
        await import(path.join(SOURCE, file));
    }
  } finally {
    hooks.deregister();
  }
  const noted = (globalThis as Record<symbol, unknown>)[Symbol.for("slipway.statements")];
  return noted as readonly NamedStatement[];
}
