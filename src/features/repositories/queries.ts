/** Reads of a repository before it is a project. The rules of access are those of creating one. */
import { findBranches, type FoundBranches } from "../../git/find-branches.ts";
import { type Git, type GitAccess, GitError, type Repository, requireBranch } from "../../git/git.ts";
import { GIT_ERRORS } from "../../git/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Tally } from "../../lib/pace/tally.ts";
import { withinTime } from "../../lib/pace/within-time.ts";
import { readConfigurationFile, type RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { decideImport } from "../flightcontrol-import/decide-import.ts";
import { FILE_LENGTH_MAX, type ImportCloud } from "../flightcontrol-import/flightcontrol-import.ts";
import { IMPORT_ERRORS } from "../flightcontrol-import/errors.ts";
import { getGitIntegration } from "../git-integrations/queries.ts";
import { openRepository, type OpenRepository } from "../project-changes/open-repository.ts";
import { chooseFilesToRead, decideFramework, SITE_FOLDERS } from "./decide-framework.ts";
import {
  CONFIG_FILE,
  type DetectedProject,
  filesOf,
  FLIGHTCONTROL_FILE,
  type FoundConfiguration,
  type FoundFlightcontrolFile,
  type RepositoryFiles,
} from "./detection.ts";
import { REPOSITORY_ERRORS } from "./errors.ts";

/** Frameworks' configuration files are a few kilobytes; a larger one is not searched to its end. */
const TEXT_CHARACTERS_MAX = 256 * 1024;
const DETECTION_MS_MAX = 25_000;
const DETECTIONS_AT_ONCE = 4;
const BUSY_RETRY_SECONDS = 5;

/** @throws AppError `NOT_FOUND`, `REPOSITORY_USER_DENIED`; GitError */
export async function listBranches(
  deps: RepositoryDeps,
  actor: Actor,
  integrationId: string,
  { repoUrl, search }: { readonly repoUrl: string; readonly search?: string | undefined },
): Promise<FoundBranches> {
  const { branches } = await open(deps, actor, integrationId, repoUrl);
  return findBranches(branches, search);
}

type DetectionDeps = RepositoryDeps & { readonly cloud: ImportCloud };

/**
 * Reads the root of a branch and decides which framework it is. It takes at most 20 requests to GitHub, and 31 to
 * GitLab, which lists a folder in up to five pages.
 * @param running the detections of each organization that run now
 * @throws AppError `NOT_FOUND`, `REPOSITORY_USER_DENIED`, `BRANCH_NOT_FOUND`, `TOO_MANY_DETECTIONS`; GitError
 */
export async function detectFramework(
  deps: DetectionDeps & { readonly running: Tally },
  actor: Actor,
  integrationId: string,
  { repoUrl, branch }: { readonly repoUrl: string; readonly branch: string },
): Promise<DetectedProject> {
  const { running } = deps;
  const { organizationId } = actor;
  if (running.of(organizationId) >= DETECTIONS_AT_ONCE)
    throw new AppError(
      REPOSITORY_ERRORS.TOO_MANY_DETECTIONS,
      `The organization reads ${DETECTIONS_AT_ONCE} repositories already. Try again in a few seconds.`,
      { retryAfterSeconds: BUSY_RETRY_SECONDS },
    );
  running.add(organizationId, 1);
  // Counted until it has ended, also if the caller got a timeout before.
  const work = detect(deps, actor, integrationId, repoUrl, branch).finally(() =>
    running.add(organizationId, -1),
  );
  return await withinTime(DETECTION_MS_MAX, work, hostIsSlow);
}

function hostIsSlow(): GitError {
  return new GitError("HOST_UNAVAILABLE", "The git host did not answer in time. Try again later.");
}

async function detect(
  deps: DetectionDeps,
  actor: Actor,
  integrationId: string,
  repoUrl: string,
  branch: string,
): Promise<DetectedProject> {
  const { access, repository, branches } = await open(deps, actor, integrationId, repoUrl);
  const commit = requireBranch(branches, branch);
  const root = (await deps.git.listFolder(access, repository, commit, "")) ?? [];
  const files = filesOf(root);
  const folders = new Set(root.filter(({ kind }) => kind === "folder").map(({ name }) => name));
  const isFlightcontrol = files.has(FLIGHTCONTROL_FILE) && !files.has(CONFIG_FILE);
  const [texts, siteFolder, configFile, flightcontrolFile] = await Promise.all([
    readTexts(deps.git, access, repository, commit, files),
    findSiteFolder(deps.git, access, repository, commit, folders),
    files.has(CONFIG_FILE) ? readConfiguration(deps, access, repository, commit, branch) : null,
    isFlightcontrol ? readFlightcontrolFile(deps, access, repository, commit) : null,
  ]);
  return { ...decideFramework({ files, texts }, siteFolder), commit, configFile, flightcontrolFile };
}

async function open(
  deps: RepositoryDeps,
  actor: Actor,
  integrationId: string,
  repoUrl: string,
): Promise<OpenRepository> {
  const integration = await getGitIntegration(deps.db, actor.organizationId, integrationId);
  return await openRepository(deps, actor, integration, repoUrl);
}

async function readTexts(
  git: Git,
  access: GitAccess,
  repository: Repository,
  commit: string,
  files: ReadonlySet<string>,
): Promise<RepositoryFiles["texts"]> {
  const texts = await Promise.all(
    chooseFilesToRead(files).map(async (name) => {
      const text = await git.readFile(access, repository, commit, name).catch(orEmpty);
      return [name, (text ?? "").slice(0, TEXT_CHARACTERS_MAX)] as const;
    }),
  );
  return new Map(texts);
}

/** A file that is too large says nothing. */
function orEmpty(error: unknown): string {
  if (error instanceof GitError && error.code === "FILE_TOO_LARGE") return "";
  throw error;
}

/** The first usual folder with an `index.html`. Only the first two that the repository has are opened. */
async function findSiteFolder(
  git: Git,
  access: GitAccess,
  repository: Repository,
  commit: string,
  folders: ReadonlySet<string>,
): Promise<string | null> {
  for (const folder of SITE_FOLDERS.filter((name) => folders.has(name)).slice(0, 2)) {
    const entries = await git.listFolder(access, repository, commit, folder);
    if (entries !== null && filesOf(entries).has("index.html")) return folder;
  }
  return null;
}

/** The configuration as it was written also if it is JSON and not valid. */
async function readConfiguration(
  deps: RepositoryDeps,
  access: GitAccess,
  repository: Repository,
  commit: string,
  branch: string,
): Promise<FoundConfiguration> {
  let written: unknown = null;
  const parseConfiguration: RepositoryDeps["parseConfiguration"] = (value) => {
    written = value;
    return deps.parseConfiguration(value);
  };
  try {
    const at = { path: CONFIG_FILE, commit, place: `on the branch ${branch}` };
    const { rawConfig } = await readConfigurationFile(
      { git: deps.git, parseConfiguration },
      access,
      repository,
      at,
    );
    return { rawConfig, refusal: null };
  } catch (error) {
    const refusal = error instanceof GitError ? error.toAppError() : error;
    if (refusal instanceof AppError && refusal.code === GIT_ERRORS.CONFIG_INVALID.code)
      return { rawConfig: written, refusal };
    throw error;
  }
}

/** A file that is too large for the import counts as missing, because the import would refuse it, too. */
async function readFlightcontrolFile(
  { git, cloud }: Pick<DetectionDeps, "git" | "cloud">,
  access: GitAccess,
  repository: Repository,
  commit: string,
): Promise<FoundFlightcontrolFile | null> {
  const text = await git.readFile(access, repository, commit, FLIGHTCONTROL_FILE).catch(orEmpty);
  if (text === null || text === "" || text.length > FILE_LENGTH_MAX) return null;
  try {
    return { imported: decideImport(text, cloud), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.code === IMPORT_ERRORS.IMPORT_FILE_INVALID.code)
      return { imported: null, refusal: error };
    throw error;
  }
}
