/** What people ask after a build that surprised them: lines of its log about what is used and what is not. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { DEV_DEPENDENCIES_HINT } from "../../../../src/cloud/platform.ts";
import { parseJsonOrNull } from "../../../../src/lib/json/json-body.ts";

/** @param folder the files of the commit, before its commands run */
export async function findHints(
  folder: string,
  build: {
    readonly commands: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly node: string;
  },
): Promise<readonly string[]> {
  const manifest = parseJsonOrNull((await textOf(folder, "package.json")) ?? "");
  if (typeof manifest !== "object" || manifest === null) return [];
  const { engines, devDependencies } = manifest as Readonly<Record<string, unknown>>;
  const nvmrc = (await textOf(folder, ".nvmrc"))?.trim() ?? "";
  const engine: unknown =
    typeof engines === "object" && engines !== null ? Reflect.get(engines, "node") : null;
  const asked = [
    ...(nvmrc === "" ? [] : [`.nvmrc asks for ${nvmrc}`]),
    ...(typeof engine === "string" ? [`engines in package.json ask for ${engine}`] : []),
  ];
  const own = `Node.js is ${build.node}, which is this server's own`;
  const installs = build.commands.some((command) =>
    /\b(?:npm (?:ci|i|install)|pnpm (?:i|install)|yarn(?: install)?)\b/.test(command),
  );
  const leavesOut = build.env["NODE_ENV"] === "production" && installs && devDependencies !== undefined;
  return [
    asked.length === 0 ? `${own}.` : `${own}; ${asked.join(", and ")}. This server has no other version.`,
    ...(leavesOut ? [DEV_DEPENDENCIES_HINT] : []),
  ];
}

async function textOf(folder: string, name: string): Promise<string | null> {
  try {
    return await readFile(path.join(folder, name), "utf8");
  } catch (error) {
    // Missing, a folder, or a link to nowhere.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
