import { announceChange } from "../../db/changes.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { newId } from "../../lib/ids.ts";
import { countDistributions, createDistribution } from "../distributions/commands.ts";
import { emit } from "../events/emit.ts";
import { eventOf } from "../events/event.ts";
import { recordAudits } from "../audit/record-audit.ts";
import { insertGroup } from "../custom-domains/commands.ts";
import { createdEvents } from "../custom-domains/domain-events.ts";
import { getUsableService, insertDomains } from "../custom-domains/insert-domains.ts";
import {
  commonOwner,
  countFates,
  decideImport,
  type Grouping,
  type GroupWithRoom,
  type ImportPlan,
  ownersOf,
} from "./decide-import.ts";
import { DOMAIN_IMPORT_EVENTS } from "./events.ts";
import { imports } from "./store.ts";
import type { ImportLine } from "./read-lines.ts";

export type ImportOptions = {
  readonly groupBy: Grouping;
  /** How many names a group takes, because its certificate does. */
  readonly namesPerGroup: number;
  /** How many distributions the account may have, including its existing ones. */
  readonly distributionQuota: number;
  /** Whether Slipway sets the records: names are placed into groups that have it so, and into new ones. */
  readonly autoDns: boolean;
};

/** What an import would do now. @throws AppError as `importDomains`, except `DOMAIN_TAKEN` */
export async function planImport(
  sql: Sql,
  organizationId: string,
  serviceId: string,
  lines: readonly ImportLine[],
  options: ImportOptions,
): Promise<ImportPlan> {
  const { awsAccountId } = await getUsableService(sql, organizationId, serviceId);
  const withRoom = await findRoom(sql, organizationId, serviceId, lines, options);
  return await plan(sql, organizationId, { serviceId, awsAccountId, lines, options, withRoom });
}

/**
 * Adds domains to a service, in as many groups as they need: all that can be accepted, or none.
 * @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_DOMAINS`, `AWS_ACCOUNT_NOT_CONNECTED`; `DOMAIN_TAKEN` if another
 * request added one of the names at the same time
 */
export async function importDomains(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  serviceId: string,
  lines: readonly ImportLine[],
  options: ImportOptions,
): Promise<ImportPlan> {
  const { organizationId } = actor;
  const { service, awsAccountId, origin } = await getUsableService(tx, organizationId, serviceId);
  const withRoom = await lockRoom(tx, organizationId, serviceId, lines, options);
  const { fates, groups: planned } = await plan(tx, organizationId, {
    serviceId,
    awsAccountId,
    lines,
    options,
    withRoom,
  });
  const used: { readonly id: string; readonly names: ImportPlan["groups"][number]["names"] }[] = [];
  const made: string[] = [];
  for (const { id: existing, name, names } of planned) {
    const id = existing ?? newId("group");
    used.push({ id, names });
    if (names.length === 0) continue;
    if (existing === null) {
      const separate = { awsAccountId, origin, isDefault: false };
      const distributionId = await createDistribution(tx, jobs, service, separate);
      const row = {
        organizationId,
        id,
        serviceId,
        distributionId,
        name,
        isDefaultCdn: false,
        autoDns: options.autoDns,
      };
      await insertGroup(tx, row);
      made.push(id);
    }
    await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id, awsAccountId });
    announceChange(tx, id);
  }
  const created = await insertDomains(
    tx,
    actor,
    used.flatMap(({ id, names }) => names.map((name) => ({ ...name, groupId: id }))),
  );
  const audited = (action: "domain-certificate-group.created" | "domain.created", resourceId: string) => ({
    actor,
    action,
    resourceId,
    details: null,
  });
  recordAudits(tx, [
    ...made.map((id) => audited("domain-certificate-group.created", id)),
    ...created.map(({ id }) => audited("domain.created", id)),
  ]);
  const { projectId, environmentId } = service;
  // Given, so that it is not looked up for each.
  const place = { serviceId, projectId, environmentId };
  const { skipped: _skipped, ...counts } = countFates(fates);
  const summary = eventOf({
    type: DOMAIN_IMPORT_EVENTS["service.domains_imported"],
    subjectId: serviceId,
    data: { ...counts, createdGroups: made.length },
  });
  const events = [...createdEvents(serviceId, created), summary].map((event) => ({ ...event, ...place }));
  emit(tx, actor, created.length === 0 ? [] : events);
  const placed = fates.map((fate) => {
    const group = fate.place === null ? undefined : used[fate.place];
    return group === undefined ? fate : { ...fate, groupId: group.id };
  });
  return { fates: placed, groups: planned };
}

/** The groups of a service that take more names, each with names of only one owner, who also has names of the import. */
async function findRoom(
  sql: Sql,
  organizationId: string,
  serviceId: string,
  lines: readonly ImportLine[],
  options: ImportOptions,
): Promise<readonly GroupWithRoom[]> {
  if (options.groupBy === "none") return [];
  const ownerOf = ownersOf(lines, options.groupBy);
  const owners = new Set(namesOf(lines).map(ownerOf));
  const found = await imports.findRoom(sql, organizationId, serviceId, options);
  return found.flatMap(({ id, name, names }) => {
    const owner = commonOwner(names, ownerOf);
    const room = options.namesPerGroup - names.length;
    return owner === null || !owners.has(owner) ? [] : [{ id, name, room, owner }];
  });
}

/** Locks the groups that may get names. */
async function lockRoom(
  tx: Transaction,
  organizationId: string,
  serviceId: string,
  lines: readonly ImportLine[],
  options: ImportOptions,
): Promise<readonly GroupWithRoom[]> {
  const found = await findRoom(tx, organizationId, serviceId, lines, options);
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const locked = new Set((await imports.lockGroups(tx, organizationId, ids)).map(({ id }) => id));
  // Others may have filled them before the lock was ours.
  const withRoom = await findRoom(tx, organizationId, serviceId, lines, options);
  return withRoom.filter(({ id }) => locked.has(id));
}

function namesOf(lines: readonly ImportLine[]): readonly string[] {
  return lines.flatMap(({ kind, name }) => (kind === "name" ? [name] : []));
}

async function plan(
  sql: Sql,
  organizationId: string,
  from: {
    readonly serviceId: string;
    readonly awsAccountId: string;
    readonly lines: readonly ImportLine[];
    readonly options: ImportOptions;
    readonly withRoom: readonly GroupWithRoom[];
  },
): Promise<ImportPlan> {
  const { serviceId, awsAccountId, lines, options, withRoom } = from;
  const { namesPerGroup, distributionQuota, groupBy } = options;
  const [taken, there] = await Promise.all([
    imports.findTaken(sql, organizationId, namesOf(lines)),
    countDistributions(sql, organizationId, awsAccountId),
  ]);
  const newGroups = Math.max(0, distributionQuota - there);
  return decideImport(lines, { serviceId, taken, groups: withRoom }, { namesPerGroup, newGroups, groupBy });
}
