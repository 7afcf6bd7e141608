/** What the commands of repositories see of this machine: programs, libraries, and what those read in `/etc`. */
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import type { Mount } from "./mount.ts";

/** On a merged `/usr`, the others are links to it. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Not all of `/etc`: a file there may belong to Slipway, such as one with its environment. */
const ETC = (
  "alternatives ca-certificates crypto-policies gai.conf group host.conf hostname hosts ld.so.cache ld.so.conf " +
  "ld.so.conf.d localtime mime.types nsswitch.conf os-release passwd pki protocols resolv.conf services ssl timezone"
)
  .split(" ")
  .map((name) => `/etc/${name}`);

/**
 * @param commandPath PATH of the commands; its folders are always visible
 * @param readable further folders, chosen by the operator
 * @param hidden folders that are never visible, nor is anything that contains them or is in them
 */
export function listWorld(
  commandPath: string,
  readable: readonly string[],
  hidden: readonly string[],
): readonly Mount[] {
  const system = [...SYSTEM, ...ETC].flatMap((at): readonly Mount[] => {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const isLink = stats.isSymbolicLink() && SYSTEM.includes(at);
    if (isLink) return [{ kind: "link", target: readlinkSync(at), to: at }];
    // A link may have no target, such as resolv.conf.
    return existsSync(at) ? [{ kind: "read", from: at, to: at }] : [];
  });
  const programs = commandPath
    .split(":")
    // npm puts the tools of Slipway's own checkout first; they are links to hidden folders.
    .filter((folder) => !folder.endsWith("node_modules/.bin"))
    // Node's own package manager is next to its folder of programs.
    .flatMap((folder) => [folder, path.join(folder, "../lib/node_modules")]);
  const others = [...new Set([...programs, ...readable].map((folder) => path.normalize(folder)))].filter(
    (folder) =>
      path.isAbsolute(folder) &&
      folder !== "/" &&
      existsSync(folder) &&
      !SYSTEM.some((at) => isWithin(folder, at)) &&
      !hidden.some((at) => isWithin(folder, at) || isWithin(at, folder)),
  );
  const programsAndData = [...system, ...others.map((at): Mount => ({ kind: "read", from: at, to: at }))];
  const covered = hidden.filter((at) =>
    programsAndData.some(({ kind, to }) => kind === "read" && isWithin(at, to)),
  );
  return [...programsAndData, ...covered.map((to): Mount => ({ kind: "empty", to }))];
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}
