/**
 * Writes `dist/`, the server's package: its modules and the packages that they use, bundled, so that an installation is
 * small and starts fast. `npm pack ./dist` packs it.
 */
import { cp, glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { buildIfStale } from "../console/build.js";

const ROOT = path.join(import.meta.dirname, "..");
const DIST = path.join(ROOT, "dist");
/** The modules that `bin/slipway.js` loads, and the programs that run as a process of their own. */
const ENTRIES = [
  "src/main",
  "src/cli/commands",
  "cli/src/run",
  "src/db/drivers/embedded/process-main",
  "src/http/openapi/reference-script",
  "sandbox/src/platform/builds/checkout-process",
];
/** What modules read at run time, the console, and the files of a package. */
const FILES =
  "{bin/*.js,src/**/*.{sql,yaml},console/dist/**/*.{html,js,css,svg,woff2,br,gz},LICENSE,CHANGELOG.md,SECURITY.md}";
/** Of the packages in the console's scripts, by Vite. */
const CONSOLE_LICENCES = path.join(ROOT, "console/dist/licenses.txt");
/** Their files are in the console. */
const FONTS = ["inter", "jetbrains-mono"].map((name) =>
  path.join(ROOT, "node_modules/@fontsource-variable", name),
);
/** Not bundled: it finds its WebAssembly beside itself. */
const INSTALLED = "@electric-sql/pglite";
/** Of a module of a package: the package's folder. */
const OF_PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies: Readonly<Record<string, string>>;
} & Readonly<Record<string, unknown>>;

/** A module finds files and programs beside its place in the sources, which the bundle does not have. */
const keepPlaces: Plugin = {
  name: "keep-places",
  transform(code, id) {
    if (OF_PACKAGE.test(id) || !code.includes("import.meta.url")) return null;
    const place = `new URL("../${path.relative(ROOT, id).replace(/[.]ts$/, ".js")}", import.meta.url).href`;
    return code
      .replaceAll(/(?<=new URL\("[\w./-]+)[.]ts(?=", import[.]meta[.]url)/g, ".js")
      .replaceAll("import.meta.url", place);
  },
};

const unbuilt = buildIfStale();
if (unbuilt !== null) throw new Error(unbuilt);
await rm(DIST, { recursive: true, force: true });
const packages = await writeBundle();
for await (const file of glob(FILES, { cwd: ROOT })) await cp(path.join(ROOT, file), path.join(DIST, file));
await writeFile(path.join(DIST, "package.json"), await renderManifest());
const licences = [await renderLicences([...packages, ...FONTS]), await readFile(CONSOLE_LICENCES, "utf8")];
await writeFile(path.join(DIST, "THIRD-PARTY-LICENSES.txt"), licences.join("\n\n"));

/** Returns the folders of the packages that are in it. */
async function writeBundle(): Promise<readonly string[]> {
  const nameOf = (entry: string): string => entry.replaceAll("/", "-");
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [nameOf(entry), path.join(ROOT, `${entry}.ts`)])),
    platform: "node",
    external: [/^node:/, INSTALLED, new RegExp(`^${INSTALLED}/`)],
    plugins: [keepPlaces],
  });
  const { output } = await bundle.write({ dir: path.join(DIST, "bundle"), format: "esm" });
  await bundle.close();
  for (const entry of ENTRIES) {
    const at = path.join(DIST, `${entry}.js`);
    const bundled = path.posix.relative(path.posix.dirname(entry), `bundle/${nameOf(entry)}.js`);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, `export * from "${bundled}";\n`);
  }
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  return [...new Set(modules.flatMap((id) => OF_PACKAGE.exec(id)?.[0] ?? []))].toSorted();
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
}

async function renderManifest(): Promise<string> {
  const { name, version, description, license, bin, type, dependencies, optionalDependencies, engines } =
    await readManifest(ROOT);
  const installed = { [INSTALLED]: dependencies[INSTALLED] };
  const manifest = {
    name,
    version,
    description,
    license,
    bin,
    type,
    dependencies: installed,
    optionalDependencies,
    engines,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Most licences ask for their text beside the code. */
async function renderLicences(folders: readonly string[]): Promise<string> {
  const texts = folders.map(async (folder) => {
    const { name, version, license } = await readManifest(folder);
    const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
    const own = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
    return [`${name} ${version} (${license ?? "see below"})`, ...own].join("\n\n");
  });
  return (await Promise.all(texts)).join(`\n\n${"=".repeat(80)}\n\n`);
}
