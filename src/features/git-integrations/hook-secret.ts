import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Actor } from "../../lib/actor.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { notFound } from "../../lib/errors.ts";
import type { GitProvider } from "../../git/git.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { getGitIntegration } from "./commands.ts";
import { GIT_INTEGRATION_EVENTS } from "./events.ts";
import { type GitIntegration, hookIdentity } from "./git-integration.ts";
import { gitIntegrations } from "./store.ts";

const SECRET_BYTES = 32;

/** A new secret for the deliveries of an integration's host, and its sealed form. @throws AppError `NOT_FOUND` */
export async function prepareHookSecret(
  deps: { readonly db: Sql; readonly atRest: AtRestSealing },
  { organizationId }: Actor,
  id: string,
): Promise<{ readonly integration: GitIntegration; readonly secret: string; readonly sealed: Uint8Array }> {
  const integration = await getGitIntegration(deps.db, organizationId, id);
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const sealed = await deps.atRest.seal(hookIdentity(integration), new Secret(secret));
  return { integration, secret, sealed };
}

/** Activates a prepared secret; from then on the previous one is refused. @throws AppError `NOT_FOUND` */
export async function setHookSecret(
  tx: Transaction,
  actor: Actor,
  { id, provider, host }: GitIntegration,
  sealed: Uint8Array,
): Promise<void> {
  if (!(await gitIntegrations.setHookSecret(tx, actor.organizationId, id, sealed))) throw notFound();
  recordAudit(tx, actor, "git-integration.hook-secret-set", id);
  const type = GIT_INTEGRATION_EVENTS["git_integration.updated"];
  emit(tx, actor, { type, subjectId: id, data: { provider, host, updated: "hookSecret" } });
}

/** An integration that may have sent a delivery, and its secret. */
export type HookSender = {
  readonly organizationId: string;
  readonly id: string;
  readonly secret: Secret;
};

/**
 * All organizations' integrations that have a hook secret and a project with the repository: a delivery does not name
 * its organization, only its signature shows it.
 */
export async function listHookSenders(
  deps: { readonly db: Sql; readonly atRest: AtRestSealing },
  provider: GitProvider,
  normalizedRepoUrl: string,
): Promise<readonly HookSender[]> {
  const found = await gitIntegrations.listHookSenders(deps.db, provider, normalizedRepoUrl);
  return await Promise.all(
    found.map(async ({ organizationId, id, sealedHookSecret }) => ({
      organizationId,
      id,
      secret: await deps.atRest.open(hookIdentity({ organizationId, id }), sealedHookSecret),
    })),
  );
}

/** Compares in constant time. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}
