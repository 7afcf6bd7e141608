import { createHash } from "node:crypto";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import { createDeployment } from "../deployments/commands.ts";
import { hasEnded } from "../deployments/deployment.ts";
import { decideReached } from "../deployments/decide-targets.ts";
import { findNewestDeployment } from "../deployments/queries.ts";
import { AppError, TranslatedError } from "../../lib/errors.ts";
import { GIT_HOOK_ERRORS } from "./errors.ts";
import type { GitProvider, Repository } from "../../git/git.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../../git/repository-url.ts";
import {
  type GitDeps,
  type HookSender,
  listHookSenders,
  openGitAccess,
} from "../git-integrations/queries.ts";
import type { NextTurn } from "../../lib/pace/turns.ts";
import { newId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { listProjectEnvironments, listProjectsOfRepository } from "../projects/queries.ts";
import type { Project } from "../projects/project.ts";
import { type Delivery, type Headers, isSigned, placesOf, readDelivery, type Texts } from "./delivery.ts";
import { createTextScan } from "./scan-texts.ts";
import type { Outcome, Receipt } from "./receipt.ts";
import { hookDeliveries, receipts } from "./store.ts";

const PROJECTS_MAX = 100;
/** Longer than any host retries, and than a branch that is deployed by pushes usually rests. */
const KEPT_DAYS = 90;
/** As long as deliveries of webhooks are shown. */
export const RECEIPTS_KEPT_DAYS = 30;

/**
 * Accepts a delivery of a git host. Deploys the pushed commit, once, in every project of the sender's organization with
 * an environment with `trigger: push` on the branch. Deploys only the branch's present head, so a replayed or late
 * delivery brings nothing old back. A delivery that comes again deploys again only if its deployment did not succeed.
 * @returns ids of the deployments
 * @throws AppError `HOOK_SIGNATURE_REFUSED`, the same for an unknown repository and a wrong signature,
 * `GIT_INTEGRATION_MISSING`; GitError
 */
export async function takeDelivery(
  deps: HookDeps,
  request: {
    readonly provider: GitProvider;
    readonly headers: Headers;
    /** The body as received. */
    readonly body: readonly Uint8Array[];
    readonly requestId: string;
  },
): Promise<readonly string[]> {
  const { provider, headers, body, requestId } = request;
  const { texts, digest } = await readTexts(deps, provider, body);
  const delivery = readDelivery(provider, headers, texts);
  const repository = delivery === null ? null : parse(delivery.repoUrls);
  const senders = repository === null ? [] : await listSenders(deps, provider, repository);
  const signers: HookSender[] = [];
  for (const sender of senders) {
    if (await isSigned(provider, headers, body, sender.secret, deps.nextTurn)) signers.push(sender);
  }
  if (delivery === null || repository === null) throw hookRefused();
  const { push } = delivery;
  if (signers.length === 0) {
    for (const sender of senders) await keepReceipt(deps.db, sender, unsigned(repository), "SIGNATURE_WRONG");
    throw hookRefused();
  }
  const received = {
    hostId: delivery.id,
    repositoryUrl: repository.normalizedUrl,
    branch: push?.branch ?? null,
    commitHash: push?.commit ?? null,
  };
  const projectsOf = (sender: HookSender) =>
    listProjects(deps.db, sender.organizationId, provider, repository);
  if (push === null) {
    for (const sender of signers) {
      if (delivery.pullRequest !== null)
        await deps.db.within(sender.organizationId, async () =>
          takeChange(deps, sender, await projectsOf(sender), null),
        );
      await keepReceipt(deps.db, sender, received, "NO_PUSH");
    }
    return [];
  }
  // The body is recorded too, because a replay can carry another id.
  const ids = [`sha256:${digest}`, ...(delivery.id === null ? [] : [delivery.id])];
  const made: string[] = [];
  for (const sender of signers) {
    const taken = await deps.db.within(sender.organizationId, async () => {
      const all = await projectsOf(sender);
      await takeChange(deps, sender, all, push);
      return await takePush(deps, sender, { repository, projects: all, push, ids, requestId, received });
    });
    made.push(...taken);
  }
  return made;
}

/**
 * Keeps that a delivery was too large, for every integration that may have sent it. The signature of a body that was
 * not read whole cannot be checked.
 * @param start the first bytes of the body; hosts write the repository before the commits
 */
export async function noteTooLarge(
  deps: HookDeps,
  { provider, headers, start }: { provider: GitProvider; headers: Headers; start: readonly Uint8Array[] },
): Promise<void> {
  const { texts } = await readTexts(deps, provider, start);
  const repository = parse(readDelivery(provider, headers, texts)?.repoUrls ?? []);
  if (repository === null) return;
  for (const sender of await listSenders(deps, provider, repository))
    await keepReceipt(deps.db, sender, unsigned(repository), "TOO_LARGE");
}

async function listSenders(
  deps: HookDeps,
  provider: GitProvider,
  { normalizedUrl }: Repository,
): Promise<readonly HookSender[]> {
  return await deps.db.acrossOrganizations(() => listHookSenders(deps, provider, normalizedUrl));
}

/** Nothing else is known of a delivery without a valid signature. */
function unsigned({ normalizedUrl }: Repository): Received {
  return { hostId: null, repositoryUrl: normalizedUrl, branch: null, commitHash: null };
}

/** Deploys a push, and keeps a receipt of its outcome. */
async function takePush(deps: HookDeps, sender: HookSender, pushed: Push): Promise<readonly string[]> {
  const { received } = pushed;
  try {
    const found = await deployPush(deps, sender, pushed);
    if (typeof found !== "string") return found;
    await keepReceipt(deps.db, sender, received, found);
    return [];
  } catch (error) {
    // The host gets the error, and may deliver again.
    const refusal = error instanceof TranslatedError ? error.toAppError() : error;
    if (refusal instanceof AppError) await keepReceipt(deps.db, sender, received, "FAILED", refusal.code);
    throw error;
  }
}

/** Has the pull requests of the organization's projects read again. A delivery that comes again does no harm. */
async function takeChange(
  { db, onChange }: HookDeps,
  { organizationId }: HookSender,
  projects: readonly Project[],
  push: Change["push"],
): Promise<void> {
  if (onChange === undefined) return;
  const projectIds = projects.map(({ id }) => id);
  if (projectIds.length > 0) await db.transaction((tx) => onChange(tx, { organizationId, projectIds, push }));
}

/** What a receipt says of a delivery. */
type Received = Pick<Receipt, "hostId" | "repositoryUrl" | "branch" | "commitHash">;

/** Keeps the receipt of a delivery that deployed nothing, within the limits of its outcome. */
async function keepReceipt(
  db: Database,
  { organizationId, id: gitIntegrationId }: HookSender,
  received: Received,
  outcome: Outcome,
  errorCode: string | null = null,
): Promise<void> {
  const kept = { organizationId, id: newId("ghd"), gitIntegrationId, ...received, outcome, errorCode };
  await db.within(organizationId, async () => {
    if (await receipts.areMany(db, { organizationId, id: gitIntegrationId }, outcome)) return;
    await receipts.insert(db, { ...kept, deploymentIds: [] });
  });
}

/** What a signed delivery is about. It may be old. */
export type Change = {
  readonly organizationId: string;
  /** The projects of its repository. */
  readonly projectIds: readonly string[];
  /** Null: it is about a pull request. */
  readonly push: Delivery["push"];
};

export type HookDeps = GitDeps & {
  readonly jobs: Jobs;
  readonly nextTurn: NextTurn;
  /** Runs at each delivery that is signed. */
  readonly onChange?: (tx: Transaction, change: Change) => Promise<void>;
};

/** Reads the few texts that are needed, without parsing a body whose signature was not checked yet. */
async function readTexts(
  { nextTurn }: HookDeps,
  provider: GitProvider,
  body: readonly Uint8Array[],
): Promise<{ readonly texts: Texts; readonly digest: string }> {
  const scan = createTextScan(placesOf(provider));
  const hash = createHash("sha256");
  for (const block of body) {
    await nextTurn();
    scan.push(block);
    hash.update(block);
  }
  return { texts: scan.found, digest: hash.digest("hex") };
}

type Push = {
  readonly repository: Repository;
  /** The sender's projects with the repository. */
  readonly projects: readonly Project[];
  readonly push: NonNullable<Delivery["push"]>;
  /** The ids that identify the delivery when it comes again. */
  readonly ids: readonly string[];
  readonly requestId: string;
  readonly received: Received;
};

/** @returns the deployments, or why there is none */
async function deployPush(
  deps: HookDeps,
  { organizationId, id }: HookSender,
  { repository, projects: all, push, ids, requestId, received }: Push,
): Promise<readonly string[] | Outcome> {
  const { db, jobs } = deps;
  const { branch, commit } = push;
  const firstAt = await hookDeliveries.findFirst(db, organizationId, id, ids);
  const targets = await listTargets(db, all, branch);
  const projects: Project[] = [];
  for (const project of targets) {
    const newest = await findNewestDeployment(db, organizationId, project.id, branch);
    if (firstAt === null || isToRepeat(newest, commit, firstAt)) projects.push(project);
  }
  if (firstAt !== null && projects.length === 0) return "REPEATED";
  if (!(await isHead(deps, organizationId, projects, repository, push))) return "NOT_HEAD";
  return await db.transaction(async (tx) => {
    // Record all ids, so that any of them identifies the delivery.
    for (const one of ids.toSorted()) await hookDeliveries.record(tx, organizationId, id, one);
    if (projects.length === 0) return "BRANCH_NOT_DEPLOYED";
    // No member of the organization asked for this: the audit trail names the integration.
    const actor: Actor = {
      organizationId,
      userId: id,
      credential: { kind: "none", id },
      role: "developer",
      access: FULL_ACCESS,
      requestId,
    };
    const made: string[] = [];
    for (const project of projects) {
      const target = await findTarget(tx, project, branch);
      if (target === null) continue;
      const newest = await findNewestDeployment(tx, organizationId, project.id, branch);
      // Two hooks may report the same push.
      const isDeployed = newest?.trigger === "push" && newest.commitHash === commit;
      if (firstAt === null ? isDeployed : !isToRepeat(newest, commit, firstAt)) continue;
      const commitOf = { branch, commitHash: commit, isForOneEnvironment: false, isPreview: false };
      const pushed = { projectId: project.id, ...commitOf, ...target };
      const source = { trigger: "push", rollbackOf: null } as const;
      made.push((await createDeployment(tx, jobs, actor, pushed, source)).id);
    }
    if (made.length === 0) return firstAt === null ? "ALREADY_DEPLOYED" : "REPEATED";
    const receipt = { organizationId, id: newId("ghd"), gitIntegrationId: id, ...received, errorCode: null };
    await receipts.insert(tx, { ...receipt, outcome: "STARTED", deploymentIds: made });
    return made;
  });
}

/**
 * Whether a delivery that came before deploys again: nothing was deployed since, or the newest deployment is of its
 * commit, and failed or was cancelled. A deployment that is under way or live stays, and so does a later deployment,
 * such as a rollback.
 */
function isToRepeat(
  newest: Awaited<ReturnType<typeof findNewestDeployment>>,
  commit: string,
  firstAt: Date,
): boolean {
  if (newest === null || newest.createdAt < firstAt) return true;
  return newest.commitHash === commit && hasEnded(newest.status) && newest.status !== "SUCCESS";
}

/** The projects in which a push to the branch is deployed. */
async function listTargets(
  db: Database,
  projects: readonly Project[],
  branch: string,
): Promise<readonly Project[]> {
  const targets: Project[] = [];
  for (const project of projects) {
    if ((await findTarget(db, project, branch)) !== null) targets.push(project);
  }
  return targets;
}

/** The organization's projects with this repository that are not being deleted. */
async function listProjects(
  db: Database,
  organizationId: string,
  provider: GitProvider,
  { normalizedUrl }: Repository,
): Promise<readonly Project[]> {
  const projects = await listProjectsOfRepository(db, organizationId, normalizedUrl, PROJECTS_MAX);
  return projects.filter((one) => one.deletionRequestedAt === null && one.provider === provider);
}

/** Whether the pushed commit is the head of the branch. The git host is asked only if there is something to deploy. */
async function isHead(
  deps: HookDeps,
  organizationId: string,
  [project]: readonly Project[],
  repository: Repository,
  { branch, commit }: Push["push"],
): Promise<boolean> {
  if (project === undefined) return true;
  const access = await openGitAccess(deps, organizationId, project.provider, project.host);
  const branches = await deps.git.listBranches(access, repository);
  return branches.find(({ name }) => name === branch)?.commit === commit;
}

/** Null when pushes to the branch deploy no environment of the project. */
async function findTarget(
  tx: Sql,
  { organizationId, id }: Project,
  branch: string,
): Promise<{ readonly environmentId: string | null } | null> {
  const environments = await listProjectEnvironments(tx, organizationId, id);
  const [first, ...others] = decideReached({ branch, trigger: "push" }, environments);
  if (first === undefined) return null;
  return { environmentId: others.length === 0 ? first.id : null };
}

function parse(repoUrls: readonly string[]): Repository | null {
  for (const url of repoUrls) {
    try {
      return parseRepositoryUrl(url);
    } catch (error) {
      if (!(error instanceof RepositoryUrlError)) throw error;
    }
  }
  return null;
}

/** The only refusal for a delivery that is not signed with one of our secrets. */
export function hookRefused(): AppError {
  return new AppError(
    GIT_HOOK_ERRORS.HOOK_SIGNATURE_REFUSED,
    "The delivery is not signed with the hook secret of an integration that has a project of this repository.",
  );
}

/** Removes the ids of deliveries that no host retries any more, and old receipts. @returns whether there may be more */
export async function pruneDeliveries(db: Database): Promise<boolean> {
  const [ids, old] = [
    await hookDeliveries.prune(db, KEPT_DAYS),
    await receipts.prune(db, RECEIPTS_KEPT_DAYS),
  ];
  return ids || old;
}
