import type { Actor } from "../actor.ts";
import type { Database, Transaction } from "../db/database.ts";
import { createDeployment, findNewestDeployment } from "../deployments/commands.ts";
import { AppError } from "../errors.ts";
import type { GitProvider } from "../git/git.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../git/repository-url.ts";
import { type HookSender, listHookSenders } from "../git-integrations/hook-secret.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { listProjectEnvironments, listProjectsOfRepository } from "../projects/commands.ts";
import type { Project } from "../projects/project.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import { type Delivery, type Headers, isSigned, readDelivery } from "./delivery.ts";
import { deliveries } from "./store.ts";

const PROJECTS_MAX = 100;
/** Longer than any host goes on trying. */
const KEPT_DAYS = 7;

/**
 * Takes a delivery of a git host, and deploys what was pushed, once, in every project of the sender's
 * organization that has an environment with `trigger: push` on the branch.
 * @returns ids of the deployments
 * @throws AppError `HOOK_SIGNATURE_REFUSED`, the same for an unknown repository and a wrong signature
 */
export async function takeDelivery(
  deps: { readonly db: Database; readonly jobs: Jobs; readonly atRest: AtRestSealing },
  request: {
    readonly provider: GitProvider;
    readonly headers: Headers;
    readonly rawBody: Uint8Array;
    readonly body: unknown;
    readonly requestId: string;
  },
): Promise<readonly string[]> {
  const { provider, headers, rawBody, body, requestId } = request;
  const delivery = readDelivery(provider, headers, body);
  const repoUrl = delivery === null ? null : normalize(delivery.repoUrls);
  const senders = repoUrl === null ? [] : await listHookSenders(deps, provider, repoUrl);
  const signed = senders.filter(({ secret }) => isSigned(provider, headers, rawBody, secret));
  if (delivery === null || repoUrl === null || signed.length === 0) throw refused();
  return await deps.db.transaction(async (tx) => {
    const made: string[] = [];
    for (const sender of signed) {
      made.push(...(await deployPush(tx, deps.jobs, sender, { provider, repoUrl, delivery, requestId })));
    }
    return made;
  });
}

async function deployPush(
  tx: Transaction,
  jobs: Jobs,
  { organizationId, id }: HookSender,
  pushed: {
    readonly provider: GitProvider;
    readonly repoUrl: string;
    readonly delivery: Delivery;
    readonly requestId: string;
  },
): Promise<readonly string[]> {
  const { delivery, provider, repoUrl, requestId } = pushed;
  if (delivery.push === null) return [];
  const { branch, commit } = delivery.push;
  const isNew = delivery.id === null || (await deliveries.insert(tx, organizationId, id, delivery.id));
  if (!isNew) return [];
  // Nobody of the organization asked: the audit trail names the integration.
  const actor: Actor = { organizationId, userId: id, apiKeyId: id, role: "developer", requestId };
  const projects = await listProjectsOfRepository(tx, organizationId, repoUrl, PROJECTS_MAX);
  const made: string[] = [];
  for (const project of projects.filter((one) => one.provider === provider)) {
    const target = await findTarget(tx, project, branch);
    if (target === null) continue;
    // Two hooks may tell of one push.
    const newest = await findNewestDeployment(tx, organizationId, project.id, branch);
    if (newest?.trigger === "push" && newest.commitHash === commit) continue;
    const prepared = { projectId: project.id, branch, commitHash: commit, ...target };
    const source = { trigger: "push", rollbackOf: null } as const;
    made.push((await createDeployment(tx, jobs, actor, prepared, source)).id);
  }
  return made;
}

/** Null where no environment of the project is deployed by pushes of the branch. */
async function findTarget(
  tx: Transaction,
  { organizationId, id }: Project,
  branch: string,
): Promise<{ readonly environmentId: string | null } | null> {
  const environments = await listProjectEnvironments(tx, organizationId, id);
  const [first, ...others] = environments.filter(
    (environment) => environment.branch === branch && environment.deployTrigger === "push",
  );
  if (first === undefined) return null;
  return { environmentId: others.length === 0 ? first.id : null };
}

function normalize(repoUrls: readonly string[]): string | null {
  for (const url of repoUrls) {
    try {
      return parseRepositoryUrl(url).normalizedUrl;
    } catch (error) {
      if (!(error instanceof RepositoryUrlError)) throw error;
    }
  }
  return null;
}

function refused(): AppError {
  return new AppError(
    "HOOK_SIGNATURE_REFUSED",
    "No git integration with a hook secret has a project of this repository and signed this delivery.",
  );
}

/** Drops the ids of deliveries that no host repeats any more. @returns whether there may be more */
export async function pruneDeliveries(db: Database): Promise<boolean> {
  return await deliveries.prune(db, KEPT_DAYS);
}
