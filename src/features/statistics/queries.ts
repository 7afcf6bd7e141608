import type { Database, Sql } from "../../db/database.ts";
import { sees, visibleTo } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { notFound } from "../../lib/errors.ts";
import { idAround } from "../../lib/ids.ts";
import { getProject } from "../projects/queries.ts";
import type { Statistics } from "./statistics.ts";
import { statistics } from "./store.ts";

const DAY_MS = 86_400_000;
/** Certificates are valid for 13 months at most. */
const EXPIRY_DAYS = 400;
export const DOMAIN_DAYS_KEPT = 400;
const COUNT_EVERY_MS = 3_600_000;

type Asked = {
  readonly days: number;
  /** Of one project; null for all. */
  readonly projectId: string | null;
};

/** What pictures of an organization or a project show, of the last `days` days. @throws AppError of an unknown project */
export async function readStatistics(
  sql: Sql,
  actor: Actor,
  { days, projectId }: Asked,
  now: Date,
): Promise<Statistics> {
  const { organizationId } = actor;
  if (projectId !== null) {
    if (!sees(actor, projectId)) throw notFound();
    await getProject(sql, organizationId, projectId);
  }
  const visible = projectId === null ? visibleTo(actor) : { only: [projectId], but: null };
  const from = dayOf(now, 1 - days);
  const fromId = idAround("depl", new Date(from), "before");
  const until = new Date(now.getTime() + EXPIRY_DAYS * DAY_MS);
  const [domains, domainDays, certificateExpiry, deploymentDays] = await Promise.all([
    statistics.countDomains(sql, organizationId, visible),
    // The counts of each day are stored only for all projects together.
    visible === null ? statistics.listDomainDays(sql, organizationId, from) : [],
    statistics.countExpiries(sql, organizationId, until, visible),
    statistics.countDeployments(sql, organizationId, fromId, visible),
  ]);
  return { domains, domainDays, certificateExpiry, deploymentDays };
}

/** Counts the domains of all organizations for the present day. @returns how long the sweep may rest, in ms */
export async function countDomainsOfDay(db: Database, now: Date): Promise<number> {
  const counted = await statistics.countAllDomains(db);
  if (counted.length > 0) await statistics.recordDomainDays(db, dayOf(now, 0), counted);
  return COUNT_EVERY_MS;
}

/** @returns whether there may be more */
export async function pruneDomainDays(db: Database, now: Date): Promise<boolean> {
  return await statistics.pruneDomainDays(db, dayOf(now, -DOMAIN_DAYS_KEPT));
}

/** In UTC. */
function dayOf(now: Date, addedDays: number): string {
  return new Date(now.getTime() + addedDays * DAY_MS).toISOString().slice(0, "2026-11-20".length);
}
