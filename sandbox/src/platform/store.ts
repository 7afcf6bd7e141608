/** The platform's records, and their folders. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { BuildStatus, ExecutionStatus, ReleaseStatus } from "../../../src/cloud/platform.ts";
import { type Collection, openOwned, type OwnedCollection, type SandboxState } from "../state.ts";
import type { BuildInput, ExecutionInput, ReleaseInput } from "../protocol.ts";

type Failure = { readonly code: string; readonly message: string };

export type StoredBuild = {
  /** Also the id of its log, and of its artifact if it succeeds. */
  readonly id: string;
  readonly accountId: string;
  readonly input: BuildInput;
  readonly status: BuildStatus;
  readonly failure: Failure | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** How often it was started; more than once after a restart of the sandbox. */
  readonly attempts: number;
  /** Whether it was started with credentials of its source, which are never stored. */
  readonly hasCredentials?: boolean;
  /** False once its files were removed to make room for those of later builds. */
  readonly hasArtifact: boolean;
};

export type StoredRelease = {
  /** Also the id of its log and of its folder. */
  readonly id: string;
  readonly accountId: string;
  readonly input: ReleaseInput;
  readonly status: ReleaseStatus;
  readonly failure: Failure | null;
  readonly startedAt: number;
  /** Its `preDeployCommand` ended with success. */
  readonly hasRunPreDeploy?: boolean;
};

export type StoredExecution = {
  /** Also the id of its log and of its folder. */
  readonly id: string;
  readonly accountId: string;
  readonly input: ExecutionInput;
  /** The build whose files it gets. */
  readonly artifact: string;
  /** `STARTING` until its command may have begun. */
  readonly status: ExecutionStatus;
  readonly exitCode: number | null;
  readonly failure: Failure | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
};

export type StoredService = {
  readonly accountId: string;
  readonly serviceId: string;
  /** The id of the release that new requests go to. */
  readonly liveReleaseId: string | null;
  /** The port of this machine where other services reach it; null for a worker. */
  readonly port: number | null;
};

/** Where a service is: its environment's processes are stopped and started together. */
export type Place = { readonly accountId: string; readonly environmentId: string };

export type StoredSleep = Place & { readonly since: number };

export type PlatformStore = {
  readonly builds: OwnedCollection<StoredBuild>;
  readonly releases: OwnedCollection<StoredRelease>;
  readonly executions: OwnedCollection<StoredExecution>;
  readonly services: Collection<StoredService>;
  /** The environments that sleep, by `placeKey`. */
  readonly sleeping: Collection<StoredSleep>;
  atomically: SandboxState["atomically"];
  /** Ids sort in the order of creation. */
  newId(kind: "build" | "release" | "execution"): string;
};

export function openPlatformStore(state: SandboxState): PlatformStore {
  let lastMs = 0;
  return {
    builds: openOwned(state, "platform-builds", ({ input }) => input.token),
    releases: openOwned(state, "platform-releases", ({ input }) => input.token),
    executions: openOwned(state, "platform-executions", ({ input }) => input.token),
    services: state.collection("platform-services"),
    sleeping: state.collection("platform-sleeping"),
    atomically: (work) => state.atomically(work),
    newId(kind) {
      // Real time: the sandbox's clock may stand still, and retention keeps the newest by this order.
      lastMs = Math.max(lastMs + 1, Date.now());
      return `${kind}-${lastMs.toString(36).padStart(9, "0")}${randomBytes(4).toString("hex")}`;
    },
  };
}

export function serviceKey(accountId: string, serviceId: string): string {
  return `${accountId}/${serviceId}`;
}

export function placeKey({ accountId, environmentId }: Place): string {
  return `${accountId}/${environmentId}`;
}

/** The documents of one service, in the order of creation. */
export function ofService<T extends StoredBuild | StoredRelease | StoredExecution>(
  documents: OwnedCollection<T>,
  accountId: string,
  serviceId: string,
): readonly T[] {
  return documents
    .list(accountId)
    .filter(({ input }) => input.service.serviceId === serviceId)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Where the folders of builds are in the server's folder. */
export const BUILDS_FOLDER = path.join("platform", "builds");

export type Folders = ReturnType<typeof openFolders>;

/** Removes a folder with everything in it. Succeeds if it is already gone. */
export async function drop(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

export function openFolders(root: string) {
  const builds = path.join(root, "builds");
  const releases = path.join(root, "releases");
  const executions = path.join(root, "executions");
  const stores = path.join(root, "stores");
  for (const folder of [builds, releases, executions, stores])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  const folders = {
    logs: path.join(root, "logs"),
    /** Everything of data stores, and their snapshots. */
    stores,
    /** Everything of a build. Belongs to its commands while they run. */
    buildOf: (buildId: string) => path.join(builds, buildId),
    /** The checked-out files and the results of the build. Does not change after the build. */
    sourceOf: (buildId: string) => path.join(builds, buildId, "source"),
    /** The bare repository with its fetched commit; gone before its command runs. */
    fetchedOf: (buildId: string) => path.join(builds, buildId, "fetched"),
    /** HOME of the build command. A part of the artifact: tools keep programs in its caches. */
    buildHomeOf: (buildId: string) => path.join(builds, buildId, "home"),
    releaseOf: (releaseId: string) => path.join(releases, releaseId),
    /** Everything of an execution. */
    executionOf: (executionId: string) => path.join(executions, executionId),
    /** Creates the folders of a build, empty. */
    async makeBuild(buildId: string) {
      await drop(folders.buildOf(buildId));
      await mkdir(folders.sourceOf(buildId), { recursive: true });
    },
    dropFetched: (buildId: string) => drop(folders.fetchedOf(buildId)),
    /** Removes everything except the artifact, which for a static site is its files only. */
    async dropScratch(buildId: string, isSite: boolean) {
      for (const name of ["tmp", "passwd", ...(isSite ? ["home"] : [])])
        await drop(path.join(builds, buildId, name));
    },
    dropBuild: (buildId: string) => drop(path.join(builds, buildId)),
    dropRelease: (releaseId: string) => drop(path.join(releases, releaseId)),
    dropExecution: (executionId: string) => drop(path.join(executions, executionId)),
    /** Removes all folders of releases and executions, and those of unknown builds, which a crash has left. */
    async dropLeftovers(isKept: (buildId: string) => boolean) {
      for (const id of readdirSync(releases)) await folders.dropRelease(id);
      for (const id of readdirSync(executions)) await folders.dropExecution(id);
      for (const id of readdirSync(builds)) if (!isKept(id)) await folders.dropBuild(id);
    },
  };
  return folders;
}
