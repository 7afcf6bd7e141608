import type { Builds } from "./builds/builds.ts";
import type { Executions } from "./executions/executions.ts";
import type { Releases } from "./releases/releases.ts";
import { ofService, type PlatformStore } from "./store.ts";

/** Per service, in addition to the artifacts that its releases need. */
const KEPT_ARTIFACTS = 5;
/** Builds and releases that are kept per service, with their logs. */
const KEPT_RECORDS = 20;
/** Ended executions that are kept per service, with their logs. */
export const KEPT_EXECUTIONS = 200;

/** Returns a function that removes the artifacts, logs and records of a service that are no longer needed. */
export function createRetention(parts: {
  store: PlatformStore;
  builds: Pick<Builds, "forget" | "dropArtifact">;
  releases: Pick<Releases, "forget">;
  executions: Pick<Executions, "forget">;
}): (accountId: string, serviceId: string) => void {
  const { store, builds, releases, executions } = parts;
  return (accountId, serviceId) => {
    const allReleases = ofService(store.releases, accountId, serviceId);
    const isRunning = (status: string) => status === "STARTING" || status === "LIVE";
    const needed = new Set(
      allReleases.filter(({ status }) => isRunning(status)).map(({ input }) => input.artifact),
    );
    const allExecutions = ofService(store.executions, accountId, serviceId);
    for (const { artifact, endedAt } of allExecutions) if (endedAt === null) needed.add(artifact);
    const allBuilds = ofService(store.builds, accountId, serviceId);
    const withArtifact = allBuilds.filter(({ hasArtifact }) => hasArtifact);
    for (const { id } of withArtifact.slice(-KEPT_ARTIFACTS)) needed.add(id);
    for (const build of withArtifact) if (!needed.has(build.id)) builds.dropArtifact(build);
    for (const build of allBuilds.slice(0, -KEPT_RECORDS)) {
      if (build.status !== "RUNNING" && !needed.has(build.id)) builds.forget(build);
    }
    for (const release of allReleases.slice(0, -KEPT_RECORDS)) {
      if (!isRunning(release.status)) releases.forget(release);
    }
    const ended = allExecutions.filter(({ endedAt }) => endedAt !== null);
    for (const execution of ended.slice(0, -KEPT_EXECUTIONS)) executions.forget(execution);
  };
}
