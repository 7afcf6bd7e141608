/** Commits of git hosts, which system git fetches. Its connections follow the same rules as our own requests. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { getCACertificates } from "node:tls";
import { promisify } from "node:util";
import { createSafeFetch, type SafeFetchOptions } from "../../../../src/egress/safe-fetch.ts";
import { checkRemote } from "../../../../src/git/check-remote.ts";
import { authorizationOf } from "../../../../src/git/smart-http.ts";
import type { SandboxLog } from "../../accounts/stacks.ts";
import { BuildFailed } from "./build-failed.ts";
import type { BuildSource } from "./build-source.ts";

/** `http.curloptResolve` exists since then. */
const GIT_SINCE = [2, 37] as const;
const NEEDS_GIT = `Builds fetch commits with git ${GIT_SINCE.join(".")} or later. Install it on this server (on Debian: apt-get install git), and deploy again.`;

/**
 * @param options.root a folder for the certificate authorities that git trusts: Node's own, as for our other requests
 * @param options.programs the PATH in which git is found
 */
export async function openRemoteSource(options: {
  readonly egress: SafeFetchOptions;
  readonly root: string;
  readonly programs: string;
  readonly log: SandboxLog;
}): Promise<BuildSource> {
  const { egress, root, log, programs } = options;
  const guarded = createSafeFetch(egress);
  const caFile = path.join(root, "git-authorities.pem");
  const trusted = egress.trustedCa === undefined ? [] : [egress.trustedCa];
  writeFileSync(caFile, [...getCACertificates("default"), ...trusted].join("\n"), { mode: 0o600 });
  if (!(await hasGit(programs))) log.warn({}, `No service can be built. ${NEEDS_GIT}`);
  return {
    async find({ repoUrl }, credentials) {
      if (!(await hasGit(programs))) throw new BuildFailed("GIT_MISSING", NEEDS_GIT);
      const { gitUrl, addresses } = await checkRemote(guarded, repoUrl, credentials);
      const { authorization = null } = authorizationOf(credentials);
      return { kind: "remote", fetch: { gitUrl, addresses, authorization, caFile, programs } };
    },
  };
}

/** False if it is missing or too old. */
async function hasGit(programs: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"], { env: { PATH: programs } });
    const [, major = "", minor = ""] = /([0-9]+)[.]([0-9]+)/.exec(stdout) ?? [];
    return Number(major) > GIT_SINCE[0] || (Number(major) === GIT_SINCE[0] && Number(minor) >= GIT_SINCE[1]);
  } catch (error) {
    // It is missing, or does not start.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
