import { cutText } from "../../lib/cut-text.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { hashApiKey } from "../../lib/api-key.ts";
import { AppError, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { newToken } from "../../lib/organization-token.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { requireLasting, requireNoLonger, requireNoMore } from "../api-keys/commands.ts";
import { findUser } from "../users/queries.ts";
import { hasProjects } from "../projects/queries.ts";
import { findUnmet, textOf } from "./decide-match.ts";
import { WORKLOAD_ERRORS } from "./errors.ts";
import { WORKLOAD_EVENTS } from "./events.ts";
import { workloadTokens, workloadTrusts } from "./store.ts";
import type { VerifyToken } from "./verify-token.ts";
import type { Claims, WorkloadTrust } from "./workload-trust.ts";

/** How long a token of ours is valid; longer than a step of a job needs, shorter than a leak is of use. */
export const TOKEN_SECONDS = 15 * 60;
/** A further one ends the trust's oldest: a rate limit counts by token. */
const TOKENS_OF_A_TRUST = 100;
/** Of what a platform says, in audit entries. */
const SHOWN_LENGTH = 300;

type TrustFields = Pick<
  WorkloadTrust,
  "name" | "userId" | "issuer" | "audience" | "conditions" | "scopes"
> & { readonly projectIds?: readonly string[] };

/**
 * @throws AppError `NOT_FOUND` for an unknown user or project, `WORKLOAD_NEEDS_SERVICE_ACCOUNT`, `KEY_EXCEEDS_OWN`,
 * `WORKLOAD_MAKES_NO_KEY`
 */
export async function createTrust(
  tx: Transaction,
  actor: Actor,
  { projectIds, ...fields }: TrustFields,
): Promise<WorkloadTrust> {
  const { organizationId } = actor;
  requireLasting(actor);
  requireNoMore(actor, fields.scopes);
  // A trust does not expire.
  await requireNoLonger(tx, actor, null);
  const user = await findUser(tx, organizationId, fields.userId);
  if (user === null) throw notFound("userId");
  if (user.kind !== "service") {
    throw new AppError(
      WORKLOAD_ERRORS.WORKLOAD_NEEDS_SERVICE_ACCOUNT,
      `${user.name} is a person. Create a service account, and name it in userId.`,
    );
  }
  if (projectIds !== undefined && !(await hasProjects(tx, organizationId, projectIds)))
    throw notFound("projectIds");
  const id = newId("trust");
  const own = { organizationId, id, projectIds: projectIds ?? null };
  const trust = await workloadTrusts.insert(tx, { ...fields, ...own });
  if (trust === undefined) throw notFound();
  announceChange(tx, trust.userId);
  recordAudit(tx, actor, "workload-trust.created", id, { after: shownInAudit(trust) });
  const { name, issuer, userId } = trust;
  const type = WORKLOAD_EVENTS["workload_trust.created"];
  emit(tx, actor, { type, subjectId: id, data: { name, issuer, userId } });
  return trust;
}

/** @throws AppError `NOT_FOUND` */
export async function getTrust(sql: Sql, organizationId: string, id: string): Promise<WorkloadTrust> {
  return orNotFound(await workloadTrusts.find(sql, organizationId, id));
}

/** Deletes a trust, and ends its tokens. @throws AppError `NOT_FOUND` */
export async function deleteTrust(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const trust = orNotFound(await workloadTrusts.delete(tx, actor.organizationId, id));
  announceChange(tx, id);
  announceChange(tx, trust.userId);
  recordAudit(tx, actor, "workload-trust.deleted", id, { before: shownInAudit(trust) });
  const { name, issuer, userId } = trust;
  const type = WORKLOAD_EVENTS["workload_trust.deleted"];
  emit(tx, actor, { type, subjectId: id, data: { name, issuer, userId } });
}

function shownInAudit({ name, userId, issuer, audience, conditions, ...limits }: WorkloadTrust) {
  const identity = { name, userId, issuer, audience, conditions: JSON.stringify(conditions) };
  const { scopes, projectIds } = limits;
  return { ...identity, scopes: scopes.join(" "), projectIds: projectIds?.join(" ") ?? null };
}

/**
 * Exchanges a token that a platform has signed for one of ours. The same may be exchanged again while it is valid, as
 * jobs repeat what was not answered: each exchange makes a token of its own.
 * @throws AppError `NOT_FOUND`, `WORKLOAD_TOKEN_INVALID`, `WORKLOAD_NOT_TRUSTED`, `WORKLOAD_ISSUER_UNAVAILABLE`
 */
export async function exchangeToken(
  db: Database,
  verify: VerifyToken,
  { trustId, token }: { readonly trustId: string; readonly token: string },
  from: Pick<Actor, "requestId" | "sourceAddress">,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const trust = await db.acrossOrganizations(() => workloadTrusts.findOfAny(db, trustId));
  if (trust === null) throw notFound("trustId");
  const claims = await verify(token, trust);
  const unmet = findUnmet(trust.conditions, claims);
  if (unmet !== null) {
    throw new AppError(
      WORKLOAD_ERRORS.WORKLOAD_NOT_TRUSTED,
      `The token is valid, but the trust does not accept its claim ${unmet}: ${JSON.stringify(cutText(textOf(claims[unmet]) ?? "", SHOWN_LENGTH))}.`,
    );
  }
  const { organizationId, userId } = trust;
  const workload = { trustId, name: trust.name, ...shownOf(claims) };
  const id = newId("wtok");
  const made = newToken("workload", organizationId);
  return await db.within(organizationId, () =>
    db.transaction(async (tx) => {
      if (!(await workloadTrusts.noteUse(tx, organizationId, trustId))) throw notFound("trustId");
      const kept = { ...workload, id, hash: hashApiKey(made), seconds: TOKEN_SECONDS };
      const row = await workloadTokens.insert(tx, organizationId, kept);
      if (row === undefined) throw notFound("trustId");
      workloadTokens.deleteOldest(tx, organizationId, trustId, TOKENS_OF_A_TRUST);
      const credential = { kind: "workload", id, workload } as const;
      const caller = { organizationId, userId, credential, role: "viewer", access: FULL_ACCESS } as const;
      recordAudit(tx, { ...from, ...caller }, "workload-token.created", trustId);
      return { token: made, expiresAt: row.expiresAt };
    }),
  );
}

/** Each platform has its own names for repository, branch and run. */
function shownOf(claims: Claims) {
  const first = (...names: readonly string[]): string | null =>
    cutText(names.map((name) => textOf(claims[name])).find((text) => text !== null) ?? "", SHOWN_LENGTH) ||
    null;
  return {
    subject: first("sub") ?? "",
    repository: first(
      "repository",
      "project_path",
      "repositoryUuid",
      "pipeline_slug",
      "terraform_workspace_name",
      "oidc.circleci.com/vcs-origin",
    ),
    ref: first("ref", "branchName", "build_branch", "oidc.circleci.com/vcs-ref"),
    runId: first(
      "run_id",
      "pipeline_id",
      "pipelineUuid",
      "job_id",
      "terraform_run_id",
      "oidc.circleci.com/workflow-id",
    ),
  };
}

/** Removes expired tokens. @returns whether there may be more */
export const pruneWorkloadTokens = workloadTokens.prune;
