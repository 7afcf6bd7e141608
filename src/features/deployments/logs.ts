/**
 * The log of a deployment is not stored in Slipway. It is read from the platform, source by source (each
 * service's build and release), and a cursor contains how far each source has been read.
 */
import { type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import type { LogLine, LogPage, Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database, Sql } from "../../db/database.ts";
import {
  AppError,
  COMMON_ERRORS,
  COMMON_FAULTS,
  type DeclaredFault,
  invalidRequest,
} from "../../lib/errors.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";
import { isReleased, isStore } from "../projects/project.ts";
import { getProject, getService } from "../projects/queries.ts";
import { VARIABLE_FAULTS } from "../variables/errors.ts";
import {
  type DeployedService,
  type DeploymentDetails,
  type DeploymentStatus,
  hasEnded,
  tokenOf,
} from "./deployment.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";
import { findLiveRelease, getDeployment, getDeploymentDetails } from "./queries.ts";

/** A line of a service; `service` is its id in the configuration. */
type DeploymentLogLine = LogLine & { readonly serviceId: string; readonly service: string };

export type DeploymentLog = { readonly lines: readonly DeploymentLogLine[]; readonly next: string };

type Source = {
  readonly key: string;
  readonly service: DeployedService;
  readonly phase: "builds" | "releases";
};

type Deps = { readonly db: Database; readonly platform: Platform | null };
type LogQuery = { readonly serviceId?: string; readonly cursor?: string };

/** A cursor contains one position for each source; more would not fit in a URL. */
const SERVICES_MAX = 20;
/** A URL may have 16 KiB. */
export const CURSOR_CHARACTERS_MAX = 12_000;
const RETRY_SECONDS = 5;

/**
 * What follows the cursor, or everything without one; for one service, or for all.
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function readLogs(
  deps: Deps,
  organizationId: string,
  deploymentId: string,
  query: LogQuery,
): Promise<DeploymentLog> {
  const { db, platform } = deps;
  const details = await getDeploymentDetails(db, organizationId, deploymentId);
  const positions = readCursor(query.cursor);
  const sources = listSources(details, query.serviceId);
  const next = new Map(positions);
  if (platform === null || sources.length === 0) return { lines: [], next: writeCursor(next) };
  const account = await getAccountOfLogs(db, organizationId, details.deployment.projectId, deploymentId);
  const pages = await Promise.all(
    sources.map(async ({ key, service, phase }) => {
      const position = positions.get(key) ?? null;
      const page = await readLogPage(platform[phase].logs(account, tokenOf(service), position));
      if (page === null) return [];
      next.set(key, page.next);
      const { serviceId, configId } = service;
      return page.lines.map((line) => ({ ...line, serviceId, service: configId }));
    }),
  );
  const lines = pages.flat().toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return { lines, next: writeCursor(next) };
}

function listSources({ services }: DeploymentDetails, serviceId: string | undefined): readonly Source[] {
  const chosen = serviceId === undefined ? services : services.filter((one) => one.serviceId === serviceId);
  if (serviceId !== undefined && chosen.length === 0)
    throw invalidServiceId(VARIABLE_FAULTS.UNKNOWN_SERVICE, "is not the id of a service of this deployment");
  if (chosen.length > SERVICES_MAX)
    throw invalidServiceId(
      COMMON_FAULTS.REQUIRED,
      `is required: the deployment has ${chosen.length} services`,
    );
  return chosen.flatMap((service) => {
    const sources: Source[] = [];
    const { serviceId: id } = service;
    if (service.buildStartedAt !== null) sources.push({ key: `b:${id}`, service, phase: "builds" });
    if (service.releaseStartedAt !== null) sources.push({ key: `r:${id}`, service, phase: "releases" });
    return sources;
  });
}

function invalidServiceId({ code }: DeclaredFault, message: string): AppError {
  return invalidRequest([{ path: "query/serviceId", code, message }]);
}

function writeCursor(positions: ReadonlyMap<string, string>): string {
  return JSON.stringify([...positions]);
}

function readCursor(cursor: string | undefined): ReadonlyMap<string, string> {
  return cursor === undefined ? new Map() : new Map(JSON.parse(cursor) as [string, string][]);
}

/** @param purpose the id of the resource whose log is read @throws AppError `AWS_ACCOUNT_NOT_CONNECTED` */
export async function getAccountOfLogs(
  sql: Sql,
  organizationId: string,
  projectId: string,
  purpose: string,
): Promise<CloudAccount> {
  const { awsAccountId } = await getProject(sql, organizationId, projectId);
  const account = await getConnectedAccount(sql, organizationId, awsAccountId, purpose);
  if (account !== null) return account;
  throw new AppError(
    CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED,
    `The cloud account ${awsAccountId}, which stores the logs, is not connected.`,
  );
}

/** Null if the platform has no such build or release: it was not started, or the service is removed. */
export async function readLogPage(answer: Promise<LogPage>): Promise<LogPage | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.kind === "gone") return null;
    throw new AppError(
      COMMON_ERRORS.CLOUD_UNAVAILABLE,
      `The cloud did not return the logs: ${error.message}`,
      {
        cause: error,
        retryAfterSeconds: RETRY_SECONDS,
      },
    );
  }
}

/** How often the platform is asked for new lines. */
export const CHECK_MS = 500;

export type LogEvent =
  | { readonly kind: "lines"; readonly log: DeploymentLog }
  /** Sent first, and whenever it changes. */
  | { readonly kind: "status"; readonly status: DeploymentStatus }
  | { readonly kind: "end"; readonly status: DeploymentStatus };

/**
 * The log of a deployment, live until the deployment has ended and its whole log was sent. What its services
 * print after that can be read with the last cursor.
 * @throws the errors of `readLogs`
 */
export async function* followLogs(
  deps: Deps & { readonly changes: Changes },
  organizationId: string,
  deploymentId: string,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  const { db, changes } = deps;
  let from = query;
  let sentStatus: DeploymentStatus | null = null;
  const subscription = changes.subscribe([deploymentId]);
  try {
    while (!signal.aborted) {
      // Read before the lines, so that no line is missed after the last status.
      const { status } = await getDeployment(db, organizationId, deploymentId);
      const log = await readLogs(deps, organizationId, deploymentId, from);
      from = { ...query, cursor: log.next };
      if (status !== sentStatus) yield { kind: "status", status };
      sentStatus = status;
      if (log.lines.length > 0) yield { kind: "lines", log };
      else if (hasEnded(status)) return yield { kind: "end", status };
      else await subscription.next(CHECK_MS, signal);
    }
  } finally {
    subscription.close();
  }
}

/** How often the platform is asked for new lines. A stream has no end, and the provider counts its requests. */
const CHECK_SERVICE_MS = 2_000;

/** The output of a service while it runs: of its live release, read from the platform like a deployment's log. */
export type ServiceLog = {
  readonly lines: readonly LogLine[];
  /** Whose release printed them; null before the first. */
  readonly deploymentId: string | null;
  readonly next: string;
};

const NOTHING_READ = JSON.stringify([null, null]);

/**
 * What follows the cursor, or everything that the platform has without one. If another release is live by now, it is
 * read from its beginning.
 * @throws AppError `NOT_FOUND`, `SERVICE_HAS_NO_LOGS`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function readServiceLog(
  { db, platform }: Deps,
  organizationId: string,
  serviceId: string,
  cursor: string | null,
): Promise<ServiceLog> {
  const service = await getService(db, organizationId, serviceId);
  const live = await findLiveRelease(db, organizationId, serviceId);
  if (!isReleased(service.type))
    throw new AppError(
      DEPLOYMENT_ERRORS.SERVICE_HAS_NO_LOGS,
      isStore(service.type)
        ? "The service is a data store. Read its logs where it runs."
        : "The service is external. Read its logs on the host where it runs.",
    );
  if (platform === null || live === null) return { lines: [], deploymentId: null, next: NOTHING_READ };
  const account = await getAccountOfLogs(db, organizationId, service.projectId, serviceId);
  const [deploymentId, position] = readServiceCursor(cursor);
  const from = deploymentId === live.deploymentId ? position : null;
  const page = await readLogPage(platform.releases.logs(account, tokenOf(live), from));
  return {
    lines: page?.lines ?? [],
    deploymentId: live.deploymentId,
    next: JSON.stringify([live.deploymentId, page?.next ?? from]),
  };
}

/**
 * Yields each part that has lines, or is of another release than the part before, until `signal` aborts.
 * @throws the errors of `readServiceLog`
 */
export async function* followServiceLog(
  deps: Deps & { readonly changes: Changes },
  organizationId: string,
  serviceId: string,
  from: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServiceLog> {
  let cursor = from;
  let sentDeploymentId: string | null = null;
  const subscription = deps.changes.subscribe([serviceId]);
  try {
    while (!signal.aborted) {
      const log = await readServiceLog(deps, organizationId, serviceId, cursor);
      cursor = log.next;
      if (log.lines.length > 0 || log.deploymentId !== sentDeploymentId) yield log;
      sentDeploymentId = log.deploymentId;
      if (log.lines.length === 0) await subscription.next(CHECK_SERVICE_MS, signal);
    }
  } finally {
    subscription.close();
  }
}

function readServiceCursor(cursor: string | null): readonly [string | null, string | null] {
  return cursor === null ? [null, null] : (JSON.parse(cursor) as [string, string | null]);
}
