import { announceChange } from "../../db/changes.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import type { Actor } from "../../lib/actor.ts";
import { hashApiKey, randomText } from "../../lib/api-key.ts";
import { invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { emit } from "../events/emit.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { findGroupForUpdate, lockGroup, requestCheck } from "../custom-domains/commands.ts";
import type { Domain, Group } from "../custom-domains/custom-domain.ts";
import { CUSTOM_DOMAIN_FAULTS } from "../custom-domains/errors.ts";
import { endConnect, startConnect } from "../domain-connect/commands.ts";
import { findDomainByName, listDomainsOfGroup } from "../custom-domains/queries.ts";
import { SHARE_EVENTS } from "./events.ts";
import { listDomains } from "./queries.ts";
import { type ShareLink, shows } from "./share-link.ts";
import { shareLinks } from "./store.ts";

/** Where a visitor's request came from. */
export type Visit = { readonly requestId: string; readonly sourceAddress: string };

/**
 * @param names of domains of the group, in their stored form; null for all that it has
 * @returns the token too, which cannot be read again
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST` for a name that the group does not have
 */
export async function createShareLink(
  tx: Transaction,
  actor: Actor,
  groupId: string,
  { days, names }: { readonly days: number; readonly names: readonly string[] | null },
): Promise<{ readonly link: ShareLink; readonly token: string }> {
  const { organizationId } = actor;
  const group = await lockGroup(tx, organizationId, groupId);
  const domainIds = await findMembers(tx, group, names);
  // Only letters and digits: mail programs leave out other characters at the end of a link.
  const token = randomText();
  const id = newId("share");
  const hash = hashApiKey(token);
  const row = { organizationId, id, groupId, domainIds, hash, createdBy: actor.userId, days };
  const link = await shareLinks.insert(tx, row);
  if (link === undefined) throw notFound();
  recordAudit(tx, actor, "share-link.created", id, { after: shownInAudit(link) });
  emitOf(tx, actor, "domain_group.share_link_created", group, link);
  return { link, token };
}

/** @throws AppError `NOT_FOUND` */
export async function getShareLink(
  sql: Sql,
  organizationId: string,
  groupId: string,
  id: string,
): Promise<ShareLink> {
  return orNotFound(await shareLinks.find(sql, organizationId, groupId, id));
}

/** Lets a link show these domains of its group. @throws AppError `NOT_FOUND`, `INVALID_REQUEST` */
export async function changeShareLink(
  tx: Transaction,
  actor: Actor,
  groupId: string,
  id: string,
  names: readonly string[],
): Promise<ShareLink> {
  const group = await lockGroup(tx, actor.organizationId, groupId);
  const before = await getShareLink(tx, actor.organizationId, groupId, id);
  const shown = await listDomains(tx, before);
  const changed = await shareLinks.setDomains(tx, before, await findMembers(tx, group, names));
  if (changed === undefined) throw notFound();
  announceChange(tx, id);
  recordAudit(tx, actor, "share-link.updated", id, {
    before: { domains: shown.map(({ name }) => name).join(", ") },
    after: { domains: names.join(", ") },
  });
  emitOf(tx, actor, "domain_group.share_link_updated", group, changed);
  return changed;
}

/** The ids of domains of a group by their names; null for all. @throws AppError `INVALID_REQUEST` */
async function findMembers(
  tx: Transaction,
  { organizationId, id, name: groupName }: Group,
  names: readonly string[] | null,
): Promise<readonly string[]> {
  const members = (await listDomainsOfGroup(tx, organizationId, id)).filter(({ isDesired }) => isDesired);
  if (names === null) return members.map((domain) => domain.id);
  const ids = new Map(members.map((domain) => [domain.name, domain.id]));
  const faults = names.flatMap((name, index) =>
    ids.has(name)
      ? []
      : [
          {
            path: `/domains/${index}`,
            code: CUSTOM_DOMAIN_FAULTS.NOT_IN_GROUP.code,
            message: `is not a domain of the group ${groupName}`,
          },
        ],
  );
  if (faults.length > 0) throw invalidRequest(faults);
  return names.flatMap((name) => ids.get(name) ?? []);
}

/** Ends a link at once. @throws AppError `NOT_FOUND` */
export async function revokeShareLink(
  tx: Transaction,
  actor: Actor,
  groupId: string,
  id: string,
): Promise<void> {
  const group = await lockGroup(tx, actor.organizationId, groupId);
  const link = orNotFound(await shareLinks.delete(tx, actor.organizationId, groupId, id));
  announceChange(tx, id);
  recordAudit(tx, actor, "share-link.revoked", id, { before: shownInAudit(link) });
  emitOf(tx, actor, "domain_group.share_link_revoked", group, link);
}

/** The link that has a token; null if the link is unknown, expired or revoked. */
export async function findShareLink(db: Database, token: string): Promise<ShareLink | null> {
  return await db.acrossOrganizations(() => shareLinks.findByHash(db, hashApiKey(token)));
}

/** Records that a link was opened, the first time only. */
export async function noteOpening(db: Database, link: ShareLink, visit: Visit): Promise<void> {
  const { organizationId, groupId, id } = link;
  await change(db, link, async (tx) => {
    const group = await findGroupForUpdate(tx, organizationId, groupId);
    const opened = group === null ? null : await shareLinks.noteOpening(tx, link);
    if (group === null || opened === null) return;
    const visitor = visitorOf(link, visit);
    announceChange(tx, id);
    recordAudit(tx, visitor, "share-link.opened", id, { after: shownInAudit(opened) });
    emitOf(tx, visitor, "domain_group.share_link_opened", group, opened);
  });
}

/** Requests a check of the records that a link shows. */
export async function requestSharedCheck(db: Database, link: ShareLink, visit: Visit): Promise<void> {
  await change(db, link, async (tx) => {
    for (const domain of await listDomains(tx, link)) await requestCheck(tx, domain);
    recordAudit(tx, visitorOf(link, visit), "share-link.check-requested", link.id);
  });
}

/**
 * Begins a visitor's Domain Connect attempt for a domain of the link's group. Only a visitor with the link comes back.
 * @throws AppError `NOT_FOUND`, `DOMAIN_CONNECT_NOT_OFFERED`
 */
export async function beginConnect(
  db: Database,
  domainConnect: DomainConnect | null,
  link: ShareLink,
  { name, redirectUri }: { readonly name: string; readonly redirectUri: string },
  visit: Visit,
): Promise<{ readonly applyUrl: string; readonly providerName: string }> {
  return await change(db, link, async (tx) => {
    const { id } = await getShared(tx, link, name);
    const attempt = { startedBy: link.id, redirectUri, isVerificationOnly: false };
    return await startConnect(tx, domainConnect, visitorOf(link, visit), id, attempt);
  });
}

/** Ends a visitor's Domain Connect attempt. @throws AppError `NOT_FOUND`, `DOMAIN_CONNECT_ENDED` */
export async function comeBack(
  db: Database,
  link: ShareLink,
  { name, state, error }: { readonly name: string; readonly state: string; readonly error: string | null },
  visit: Visit,
): Promise<void> {
  await change(db, link, async (tx) => {
    const { id } = await getShared(tx, link, name);
    await endConnect(tx, visitorOf(link, visit), id, { startedBy: link.id, state, error });
  });
}

/** Runs a visitor's change, which reaches only the link's organization. */
function change<T>(
  db: Database,
  { organizationId }: ShareLink,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.within(organizationId, () => db.transaction(work));
}

async function getShared(tx: Transaction, link: ShareLink, name: string): Promise<Domain> {
  const domain = await findDomainByName(tx, link.organizationId, name);
  if (domain === null || domain.groupId !== link.groupId || !shows(link, domain)) throw notFound();
  return domain;
}

/** Removes expired links. @returns whether there may be more */
export async function pruneShareLinks(db: Database): Promise<boolean> {
  return await db.acrossOrganizations(() => shareLinks.prune(db));
}

/** The actor for a visitor, whom Slipway does not know: Slipway, with the address that the request came from. */
function visitorOf({ organizationId }: ShareLink, visit: Visit): Actor {
  return { ...slipwayOf(organizationId), ...visit };
}

function shownInAudit({ groupId, expiresAt }: ShareLink) {
  return { groupId, expiresAt: expiresAt.toISOString() };
}

function emitOf(
  tx: Transaction,
  actor: Actor,
  type: keyof typeof SHARE_EVENTS,
  { id: subjectId, name, serviceId }: Group,
  { id: shareLinkId, expiresAt }: ShareLink,
): void {
  const data = { name, shareLinkId, expiresAt: expiresAt.toISOString() };
  emit(tx, actor, { type: SHARE_EVENTS[type], subjectId, serviceId, data });
}
