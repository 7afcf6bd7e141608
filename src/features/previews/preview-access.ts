/**
 * The access to the previews of a template. Each template has a key for the gates of its previews
 * (`src/lib/preview-gate.ts`), and may have a bypass secret for tests, of which only the digest is kept.
 */
import { randomBytes } from "node:crypto";
import { accessKeyOf, type PreviewAccess } from "../../cloud/preview-access.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { visibleTo } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { enterPathOf, hashBypass } from "../../lib/preview-gate.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { refreshDistributionsOfTemplate } from "../distributions/commands.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { lockActiveProject } from "../projects/commands.ts";
import type { Environment } from "../projects/project.ts";
import { findEnvironment, getEnvironment } from "../projects/queries.ts";
import { type AccessRow, previewAccess } from "./access-store.ts";
import { PREVIEW_ERRORS } from "./errors.ts";

export type AccessDeps = {
  readonly db: Database;
  readonly atRest: AtRestSealing;
  /** Of this installation, without a trailing slash. */
  readonly publicUrl: string;
};

const KEY_BYTES = 32;
/** The console's page that lets visitors in. */
const SIGN_IN_PATH = "/console/open-preview";

/** What a key's seal is bound to. */
export function accessKeyIdentity({
  organizationId,
  id,
}: {
  readonly organizationId: string;
  readonly id: string;
}): readonly string[] {
  return ["preview access key", organizationId, id];
}

/** What access the distributions of a template's previews are to have; null if the template was deleted. */
export async function findAccess(
  deps: AccessDeps,
  organizationId: string,
  templateId: string,
): Promise<PreviewAccess | null> {
  const template = await findEnvironment(deps.db, organizationId, templateId);
  if (template === null || template.template === null) return null;
  return await accessOf(deps, template, await ensureRow(deps, template));
}

async function accessOf(
  { atRest, publicUrl }: AccessDeps,
  template: Environment,
  { sealedKey, bypassHash }: AccessRow,
): Promise<PreviewAccess> {
  if (template.template?.access === "public") return { gate: null };
  const key = (await atRest.open(accessKeyIdentity(template), sealedKey)).reveal();
  return { gate: { key, signInUrl: `${publicUrl}${SIGN_IN_PATH}`, bypassHash } };
}

async function ensureRow({ db, atRest }: AccessDeps, template: Environment): Promise<AccessRow> {
  const { organizationId, id } = template;
  const present = await previewAccess.find(db, organizationId, id);
  if (present !== null) return present;
  const key = new Secret(randomBytes(KEY_BYTES).toString("base64url"));
  await previewAccess.insert(db, organizationId, id, await atRest.seal(accessKeyIdentity(template), key));
  return orNotFound(await previewAccess.find(db, organizationId, id));
}

/** Lets the distributions of a template's previews take over another access: a setting, secret or address changed. */
export async function announceAccess(
  deps: AccessDeps & { readonly jobs: Jobs },
  template: Environment,
): Promise<void> {
  const { organizationId, id } = template;
  const row = await ensureRow(deps, template);
  const announced = accessKeyOf(await accessOf(deps, template, row));
  if (row.announced === announced) return;
  await deps.db.transaction(async (tx) => {
    await refreshDistributionsOfTemplate(tx, deps.jobs, organizationId, id);
    await previewAccess.announce(tx, organizationId, id, announced);
  });
}

/** @throws AppError `NOT_FOUND`, `NO_PREVIEW_TEMPLATE` */
async function getTemplate(sql: Sql, organizationId: string, id: string): Promise<Environment> {
  const environment = await getEnvironment(sql, organizationId, id);
  if (environment.template !== null) return environment;
  throw new AppError(
    PREVIEW_ERRORS.NO_PREVIEW_TEMPLATE,
    `The environment ${environment.name} makes no previews: it has no source.pr.`,
  );
}

/** @throws AppError `NOT_FOUND`, `NO_PREVIEW_TEMPLATE` */
export async function prepareBypass(deps: AccessDeps, actor: Actor, environmentId: string): Promise<string> {
  await ensureRow(deps, await getTemplate(deps.db, actor.organizationId, environmentId));
  return randomBytes(KEY_BYTES).toString("base64url");
}

/**
 * Replaces the bypass secret of a template's previews.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `NO_PREVIEW_TEMPLATE`, `ENVIRONMENT_PROTECTED`
 */
export async function setBypass(
  tx: Transaction,
  { jobs }: { readonly jobs: Jobs },
  actor: Actor,
  environmentId: string,
  secret: string,
): Promise<void> {
  const { organizationId } = actor;
  const { projectId } = await getEnvironment(tx, organizationId, environmentId);
  await lockActiveProject(tx, organizationId, projectId);
  await requireMayChange(tx, actor, DEPLOY, [{ projectId, environmentId }]);
  const { id } = await getTemplate(tx, organizationId, environmentId);
  await previewAccess.setBypass(tx, organizationId, id, hashBypass(secret));
  await refreshDistributionsOfTemplate(tx, jobs, organizationId, id);
  recordAudit(tx, actor, "environment.preview-bypass-set", id);
}

/**
 * The address with which a browser gets into a preview that the caller sees.
 * @param asked the address that the visitor asked for
 * @param state of the browser, as the gate made it
 * @param isLocal whether previews are also at `NAME.localhost`
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`
 */
export async function openGate(
  deps: AccessDeps & { readonly clock: Clock },
  actor: Actor,
  { asked, state, isLocal }: { readonly asked: string; readonly state: string; readonly isLocal: boolean },
): Promise<string> {
  const url = URL.canParse(asked) ? new URL(asked) : null;
  const place = url === null ? null : placeOf(url, isLocal);
  if (url === null || place === null)
    throw invalidRequest([
      {
        path: "query/url",
        code: COMMON_FAULTS.WRONG_FORM.code,
        message: "must be the https:// address of a preview",
      },
    ]);
  const { organizationId } = actor;
  const visible = visibleTo(actor);
  const templateId = await previewAccess.findTemplateOfHost(deps.db, organizationId, place.host, visible);
  const access = templateId === null ? null : await findAccess(deps, organizationId, templateId);
  if (access === null) throw notFound("url");
  const to = `${url.pathname}${url.search}`;
  if (access.gate === null) return `${place.origin}${to}`;
  const now = Math.floor(deps.clock.now().getTime() / 1_000);
  return `${place.origin}${enterPathOf(access.gate.key, { host: place.host, to, state, now })}`;
}

const LOCAL = ".localhost";

/** Another port of the host may be another program, which must not get a ticket. */
function placeOf(
  { protocol, hostname, host, port, origin, username, password }: URL,
  isLocal: boolean,
): { readonly host: string; readonly origin: string } | null {
  if (username !== "" || password !== "") return null;
  if (isLocal && hostname.endsWith(LOCAL) && protocol === "http:")
    return { host: hostname.slice(0, -LOCAL.length), origin: `http://${host}` };
  const isAllowed = protocol === "https:" && (port === "" || isLocal);
  return isAllowed ? { host: hostname.replace(/\.$/, ""), origin } : null;
}
