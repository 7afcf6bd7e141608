/**
 * `npm run release [-- --unchecked]`: checks the tree, packs the server, the SDK and the command line into `release/`,
 * and prints the commands that publish them. It publishes nothing itself.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "..");
const FOLDER = "release";
/** Folders of the packages. `npm run package` writes the first one; the others compile as npm packs them. */
const PACKAGES = ["dist", "sdk", "cli"];

const run = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { cwd: ROOT, stdio: "inherit" });
const versionIn = (folder: string): string =>
  (JSON.parse(readFileSync(path.join(ROOT, folder, "package.json"), "utf8")) as { version: string }).version;

const version = versionIn(".");
const faults = findFaults();
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exit(1);

if (!process.argv.includes("--unchecked")) run(".ci/run");
run("npm", "run", "package");
rmSync(path.join(ROOT, FOLDER), { recursive: true, force: true });
mkdirSync(path.join(ROOT, FOLDER));
const files = PACKAGES.map(pack);
process.stdout.write(
  [
    "",
    `Slipway ${version} is packed. To publish it:`,
    "",
    `  git tag -s v${version} -m "Slipway ${version}" && git push origin v${version}`,
    ...files.map(({ file }) => `  npm publish ${file}`),
    `  docker build -t slipway:${version} .`,
    "",
    "SHA-256:",
    ...files.map(({ file, sha256 }) => `  ${sha256}  ${file}`),
    "",
  ].join("\n"),
);

function findFaults(): readonly string[] {
  const changelog = readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8");
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" });
  return [
    ...(changes === "" ? [] : ["There are changes that are not committed. Commit or stash them."]),
    ...(changelog.includes(`\n## ${version} `)
      ? []
      : [`CHANGELOG.md has no section "## ${version} (date)". Write it.`]),
    ...["sdk", "cli"].flatMap((folder) =>
      versionIn(folder) === version ? [] : [`${folder}/package.json is not of version ${version}. Set it.`],
    ),
  ];
}

function pack(folder: string): { readonly file: string; readonly sha256: string } {
  const args = ["pack", `./${folder}`, "--silent", "--pack-destination", FOLDER];
  const packed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" }).trim().split("\n").at(-1) ?? "";
  const file = `${FOLDER}/${packed}`;
  return {
    file,
    sha256: createHash("sha256")
      .update(readFileSync(path.join(ROOT, file)))
      .digest("hex"),
  };
}
