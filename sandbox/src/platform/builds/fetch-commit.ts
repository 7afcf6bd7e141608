/**
 * Fetches one commit, without its history, into a new bare repository. Runs in the process of the checkout, which
 * ends with Slipway. A git host is a stranger: what git may do and need is limited here.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { GitError } from "../../../../src/git/git.ts";
import { RepositoryFault } from "../../git/objects.ts";
import { sizeOfPacks } from "../../git/pack-sizes.ts";

export type FetchOptions = {
  readonly gitUrl: string;
  /** Checked addresses of the host: git resolves no name, so that none leads elsewhere since the check. */
  readonly addresses: readonly string[];
  /** The header of that name; null for a public repository. Never in arguments, which other users can list. */
  readonly authorization: string | null;
  /** The certificate authorities that git trusts, as PEM. */
  readonly caFile: string;
  /** The PATH in which git is found. */
  readonly programs: string;
};

const WATCH_MS = 100;
const STDERR_BYTES_MAX = 4_096;
/** Deltas of a hostile pack may unfold to any size; in 1,024 bytes, as of `ulimit -v`. */
const MEMORY_MAX_KIB = 4 * 1024 ** 2;

/**
 * @param gitDir a folder that is created
 * @param maxBytes the limit for the pack; git is stopped as soon as it has written more
 * @throws RepositoryFault `COMMIT_NOT_FOUND`, `REPOSITORY_TOO_LARGE`; GitError `HOST_UNAVAILABLE`
 */
export async function fetchCommit(
  fetch: FetchOptions,
  at: { readonly gitDir: string; readonly commit: string; readonly maxBytes: number },
): Promise<void> {
  const { gitDir, commit, maxBytes } = at;
  mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  const env = environmentOf(fetch, gitDir);
  await runGit(["init", "--quiet", "--bare", "--template=", "."], gitDir, env, maxBytes);
  const options = ["--quiet", "--no-progress", "--depth=1", "--no-tags", "--no-write-fetch-head"];
  const args = ["fetch", ...options, "--no-recurse-submodules", "--no-auto-maintenance", "--"];
  const complaint = await runGit([...args, fetch.gitUrl, commit], gitDir, env, maxBytes);
  if (complaint === null) return;
  // The words of git's protocol 2, and of earlier ones.
  if (/not our ref|unadvertised object|couldn't find remote ref/.test(complaint)) {
    throw new RepositoryFault(
      "COMMIT_NOT_FOUND",
      `The git host does not give commit ${commit}. If the branch was rewritten since, deploy its newest commit.`,
    );
  }
  const { host } = new URL(fetch.gitUrl);
  throw new GitError("HOST_UNAVAILABLE", `${host} did not send commit ${commit}. Deploy again later.`);
}

/** Settings of the machine and of users do not apply: these are all (git-config, git). */
function environmentOf(fetch: FetchOptions, gitDir: string): Readonly<Record<string, string>> {
  const { hostname, port } = new URL(fetch.gitUrl);
  const pinned = fetch.addresses.map((address) => (address.includes(":") ? `[${address}]` : address));
  const settings: readonly (readonly [string, string])[] = [
    ["http.followRedirects", "false"],
    ["http.proxy", ""],
    ["http.sslCAInfo", fetch.caFile],
    // The name's addresses without a look-up; an address needs none.
    ...(hostname.startsWith("[") || /^[0-9.]+$/.test(hostname)
      ? []
      : [["http.curloptResolve", `${hostname}:${port || "443"}:${pinned.join(",")}`] as const]),
    // A host that sends almost nothing for a minute is away.
    ["http.lowSpeedLimit", "1000"],
    ["http.lowSpeedTime", "60"],
    ...(fetch.authorization === null
      ? []
      : [["http.extraHeader", `Authorization: ${fetch.authorization}`] as const]),
    ["credential.helper", ""],
    ["core.hooksPath", "/dev/null"],
    ["fetch.unpackLimit", "1"],
    ["pack.threads", "1"],
  ];
  return {
    PATH: fetch.programs,
    // Without a home of its own, libcurl would look for `.netrc` in the user's.
    HOME: gitDir,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "https",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** @returns null if git succeeded, otherwise the end of its complaint, which may contain words of the host */
async function runGit(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<string | null> {
  const limited = `ulimit -c 0; ulimit -v ${MEMORY_MAX_KIB}; exec git "$@"`;
  const child = spawn("/bin/sh", ["-c", limited, "git", ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-STDERR_BYTES_MAX);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code));
  });
  const isDone = ended.then(() => true);
  for (;;) {
    const hasEnded = await Promise.race([isDone, sleep(WATCH_MS, false)]);
    const bytes = await sizeOfPacks(folder);
    if (bytes > maxBytes) {
      child.kill("SIGKILL");
      throw new RepositoryFault(
        "REPOSITORY_TOO_LARGE",
        `The commit and its files need more than ${maxBytes} bytes as the git host sends them. The limit is ${maxBytes} bytes.`,
      );
    }
    if (hasEnded) return (await ended) === 0 ? null : complaint;
  }
}
