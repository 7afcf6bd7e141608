/**
 * The log of a deployment is not stored in Slipway. It is read from the platform, source by source (each
 * service's build and release), and a cursor contains how far each source has been read.
 */
import type { LogLine, Platform } from "../../../cloud/platform.ts";
import type { Database } from "../../../db/database.ts";
import { type AppError, COMMON_FAULTS, type DeclaredFault, invalidRequest } from "../../../lib/errors.ts";
import { VARIABLE_FAULTS } from "../../variables/errors.ts";
import { askForLog, getAccountOfLogs } from "./ask-for-log.ts";
import { getProject } from "../../projects/queries.ts";
import { getDeploymentDetails } from "../commands.ts";
import { type DeployedService, type DeploymentDetails, tokenOf } from "../deployment.ts";

/** A line of a service; `service` is its id in the configuration. */
export type DeploymentLogLine = LogLine & { readonly serviceId: string; readonly service: string };

export type DeploymentLog = { readonly lines: readonly DeploymentLogLine[]; readonly next: string };

type Source = {
  readonly key: string;
  readonly service: DeployedService;
  readonly phase: "build" | "release";
};

/** A cursor contains one position for each source; more would not fit in a URL. */
const SERVICES_MAX = 20;
/** A URL may have 16 KiB. */
export const CURSOR_CHARACTERS_MAX = 12_000;

/**
 * What follows the cursor, or everything without one; for one service, or for all.
 * @throws AppError `NOT_FOUND`, `INVALID_REQUEST`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function readLogs(
  deps: { readonly db: Database; readonly platform: Platform | null },
  organizationId: string,
  deploymentId: string,
  query: { readonly serviceId?: string; readonly cursor?: string },
): Promise<DeploymentLog> {
  const { db, platform } = deps;
  const details = await getDeploymentDetails(db, organizationId, deploymentId);
  const positions = readCursor(query.cursor);
  const sources = listSources(details, query.serviceId);
  const next = new Map(positions);
  if (platform === null || sources.length === 0) return { lines: [], next: writeCursor(next) };
  const { awsAccountId } = await getProject(db, organizationId, details.deployment.projectId);
  const account = await getAccountOfLogs(db, organizationId, awsAccountId, deploymentId);
  const pages = await Promise.all(
    sources.map(async ({ key, service, phase }) => {
      const port = phase === "build" ? platform.builds : platform.releases;
      const page = await askForLog(port.logs(account, tokenOf(service), positions.get(key) ?? null));
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
  if (serviceId !== undefined && chosen.length === 0) {
    throw invalidQuery(
      "serviceId",
      VARIABLE_FAULTS.UNKNOWN_SERVICE,
      "is not the id of a service of this deployment",
    );
  }
  if (chosen.length > SERVICES_MAX) {
    throw invalidQuery(
      "serviceId",
      COMMON_FAULTS.REQUIRED,
      `is required: the deployment has ${chosen.length} services`,
    );
  }
  return chosen.flatMap((service) => {
    const sources: Source[] = [];
    const { serviceId: id } = service;
    if (service.buildStartedAt !== null) sources.push({ key: `b:${id}`, service, phase: "build" });
    if (service.releaseStartedAt !== null) sources.push({ key: `r:${id}`, service, phase: "release" });
    return sources;
  });
}

function writeCursor(positions: ReadonlyMap<string, string>): string {
  return JSON.stringify([...positions]);
}

function readCursor(cursor: string | undefined): ReadonlyMap<string, string> {
  return cursor === undefined ? new Map() : new Map(JSON.parse(cursor) as [string, string][]);
}

function invalidQuery(name: string, { code }: DeclaredFault, message: string): AppError {
  return invalidRequest([{ path: `query/${name}`, code, message }]);
}
