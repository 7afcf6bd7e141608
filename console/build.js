/*
 * Builds the console: `console/app` becomes `console/dist`. Does nothing if that is already so. `npm ci` runs it
 * (prepare), `npm run package`, and `npm start` if the result is missing or stale. Plain JavaScript that Node 12 can
 * read, for it hands over to the Node that `npm ci` brought if this one is too old for Vite.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(HERE);
const DIST = path.join(HERE, "dist");
/** Holds the hash of what the present `dist` was made from. */
const MARK = "sources.sha256";
const SOURCES = [
  "console/app",
  "console/public",
  "console/index.html",
  "console/vite.config.ts",
  "sdk/src",
  "src/lib/accent-colors.ts",
];
const VITE_NODE = [20, 19];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const said = buildIfStale();
  if (said !== null) process.stdout.write(`${said}\n`);
}

/**
 * Builds the console unless it is built from these very sources.
 * @param {() => void} [onBuild] called before it is built
 * @returns {string | null} why it was not built, for people; null if it is built now
 * @throws {Error} if Vite fails, with what it wrote
 */
export function buildIfStale(onBuild) {
  const hash = hashSources();
  const mark = path.join(DIST, MARK);
  if (existsSync(mark) && readFileSync(mark, "utf8") === hash) return null;
  const vite = find("vite/package.json");
  if (vite === null)
    return "The console is not built: Vite is not installed (npm ci without --omit=dev installs it).";
  const node = isRecent(process.versions.node) ? process.execPath : findPinnedNode();
  if (node === null) return `The console is not built: Vite needs Node ${VITE_NODE.join(".")} or later.`;
  if (onBuild !== undefined) onBuild();
  // Beside the present one, which is replaced by a whole one or not at all.
  const made = `${DIST}.${process.pid}`;
  try {
    runVite(node, path.join(path.dirname(vite), "bin", "vite.js"), made);
    writeFileSync(path.join(made, MARK), hash);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(made, DIST);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return null;
}

/**
 * @param {string} node the program
 * @param {string} vite its program
 * @param {string} folder for what is built
 */
function runVite(node, vite, folder) {
  const args = ["build", HERE, "--config", path.join(HERE, "vite.config.ts"), "--outDir", folder];
  const { status, error, stdout, stderr } = spawnSync(node, [vite, ...args, "--logLevel", "warn"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw error || new Error(`Vite could not build the console:\n${stdout}${stderr}`);
}

/** Of all files that the result depends on: their names and contents, and the versions of the packages. */
function hashSources() {
  const hash = createHash("sha256");
  const files = SOURCES.flatMap((name) => filesOf(name));
  // oxlint-disable-next-line typescript/require-array-sort-compare -- by their code units, on every machine
  files.sort();
  for (const file of [...files, "package-lock.json"]) {
    const at = path.join(ROOT, file);
    if (existsSync(at)) hash.update(`${file}\0`).update(readFileSync(at)).update("\0");
  }
  return hash.digest("hex");
}

/** @param {string} name a file, or a folder with its files; below the root */
function filesOf(name) {
  const at = path.join(ROOT, name);
  if (path.extname(name) !== "") return [name];
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const inside = `${name}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(inside);
    return /[.]test[.]tsx?$|[.]md$/.test(entry.name) ? [] : [inside];
  });
}

/** @param {string} version */
function isRecent(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > VITE_NODE[0] || (major === VITE_NODE[0] && minor >= VITE_NODE[1]);
}

/** The binary of the optional dependency for this system; null where npm installed none. */
function findPinnedNode() {
  const isWindows = process.platform === "win32";
  const manifest = find(`node-${isWindows ? "win" : process.platform}-${process.arch}/package.json`);
  return manifest === null ? null : path.join(path.dirname(manifest), "bin", isWindows ? "node.exe" : "node");
}

/** @param {string} name of a package's file; @returns {string | null} where it is */
function find(name) {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    // Not installed, or its package does not show it.
    if (error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}
