/** What people ask after a build that surprised them: lines of its log about what is used and what is not. */
import { readFile } from "node:fs/promises";
import path from "node:path";

/** @param folder the files of the commit, before its command runs */
export async function findHints(
  folder: string,
  build: { readonly command: string; readonly env: Readonly<Record<string, string>>; readonly node: string },
): Promise<readonly string[]> {
  const manifest = parse(await textOf(folder, "package.json"));
  if (manifest === null) return [];
  return [
    ...hintsOfNode(manifest, await textOf(folder, ".nvmrc"), build.node),
    ...hintsOfInstall(manifest, build),
  ];
}

type Manifest = Readonly<Record<string, unknown>>;

function hintsOfNode(manifest: Manifest, nvmrc: string | null, node: string): readonly string[] {
  const engines = manifest["engines"];
  const inManifest = typeof engines === "object" && engines !== null ? Reflect.get(engines, "node") : null;
  const asked = [
    ...(nvmrc === null || nvmrc.trim() === "" ? [] : [`.nvmrc asks for ${nvmrc.trim()}`]),
    ...(typeof inManifest === "string" ? [`engines in package.json ask for ${inManifest}`] : []),
  ];
  if (asked.length === 0) return [`Node.js is ${node}, which is the sandbox's own.`];
  return [
    `Node.js is ${node}, which is the sandbox's own; ${asked.join(", and ")}. The sandbox has no other version.`,
  ];
}

function hintsOfInstall(
  manifest: Manifest,
  { command, env }: { readonly command: string; readonly env: Readonly<Record<string, string>> },
): readonly string[] {
  const installs = /\b(?:npm (?:ci|i|install)|pnpm (?:i|install)|yarn(?: install)?)\b/.test(command);
  if (env["NODE_ENV"] !== "production" || !installs || manifest["devDependencies"] === undefined) return [];
  return [
    "NODE_ENV is production, so package managers leave out devDependencies. If the build needs them, add --include=dev (npm), --prod=false (pnpm) or --production=false (yarn).",
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

function parse(text: string | null): Manifest | null {
  if (text === null) return null;
  try {
    const manifest: unknown = JSON.parse(text);
    return typeof manifest === "object" && manifest !== null ? (manifest as Manifest) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
