/** What the platform remembers, and the folders that go with it. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { BuildStatus, ReleaseStatus } from "../../cloud/platform.ts";
import type { Collection, SandboxState } from "../state.ts";
import type { BuildInput, ReleaseInput } from "./messages.ts";

type Failure = { readonly code: string; readonly message: string };

export type StoredBuild = {
  /** Also the id of its log, and of the artifact once it succeeded. */
  readonly id: string;
  readonly accountId: string;
  readonly input: BuildInput;
  readonly status: BuildStatus;
  readonly failure: Failure | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** How often it was begun; more than once after a restart in the midst of it. */
  readonly attempts: number;
  /** False once its files were dropped for those of later builds. */
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
};

export type StoredService = {
  readonly accountId: string;
  readonly serviceId: string;
  /** The id of the release that new requests go to. */
  readonly liveReleaseId: string | null;
  /** Of its listener on this machine, which other services reach it at; null for a worker. */
  readonly port: number | null;
};

export type PlatformStore = {
  readonly builds: Collection<StoredBuild>;
  readonly releases: Collection<StoredRelease>;
  readonly services: Collection<StoredService>;
  atomically: SandboxState["atomically"];
  /** Ids sort in the order in which they were made. */
  newId(kind: "build" | "release"): string;
};

export function openPlatformStore(state: SandboxState): PlatformStore {
  let lastMs = 0;
  return {
    builds: state.collection("platform-builds"),
    releases: state.collection("platform-releases"),
    services: state.collection("platform-services"),
    atomically: (work) => state.atomically(work),
    newId(kind) {
      // The real time: the sandbox's clock may stand still, and its order is what keeps the newest.
      lastMs = Math.max(lastMs + 1, Date.now());
      return `${kind}-${lastMs.toString(36).padStart(9, "0")}${randomBytes(4).toString("hex")}`;
    },
  };
}

export function serviceKey(accountId: string, serviceId: string): string {
  return `${accountId}/${serviceId}`;
}

/** Documents of one service in the order in which they were begun. */
export function ofService<T extends StoredBuild | StoredRelease>(
  documents: Collection<T>,
  accountId: string,
  serviceId: string,
): readonly T[] {
  return [...documents.values()]
    .filter((one) => one.accountId === accountId && one.input.service.serviceId === serviceId)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export type Folders = {
  readonly logs: string;
  /** All that belongs to a build, and is its commands' own while they run. */
  buildOf(buildId: string): string;
  /** The checked-out files and all that the build made of them. Not changed after the build. */
  sourceOf(buildId: string): string;
  /** HOME of the build's command. */
  buildHomeOf(buildId: string): string;
  /** All that belongs to a release. */
  releaseOf(releaseId: string): string;
  /** The release's own copy of the artifact. */
  appOf(releaseId: string): string;
  releaseHomeOf(releaseId: string): string;
  /** Empties and makes the folders of a build. */
  makeBuild(buildId: string): Promise<void>;
  /** Drops all but the artifact. */
  dropScratch(buildId: string): Promise<void>;
  dropBuild(buildId: string): Promise<void>;
  dropRelease(releaseId: string): Promise<void>;
  /** Drops all folders of releases, and those of builds that are not wanted: what a crash left. */
  dropLeftovers(isWanted: (buildId: string) => boolean): Promise<void>;
};

export function openFolders(root: string): Folders {
  const builds = path.join(root, "builds");
  const releases = path.join(root, "releases");
  for (const folder of [builds, releases]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const drop = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const folders: Folders = {
    logs: path.join(root, "logs"),
    buildOf: (id) => path.join(builds, id),
    releaseOf: (id) => path.join(releases, id),
    sourceOf: (id) => path.join(builds, id, "source"),
    buildHomeOf: (id) => path.join(builds, id, "home"),
    appOf: (id) => path.join(releases, id, "app"),
    releaseHomeOf: (id) => path.join(releases, id, "home"),
    async makeBuild(id) {
      await drop(path.join(builds, id));
      await mkdir(folders.sourceOf(id), { recursive: true });
    },
    async dropScratch(id) {
      for (const name of ["home", "tmp", "passwd"]) await drop(path.join(builds, id, name));
    },
    dropBuild: (id) => drop(path.join(builds, id)),
    dropRelease: (id) => drop(path.join(releases, id)),
    async dropLeftovers(isWanted) {
      for (const id of readdirSync(releases)) await folders.dropRelease(id);
      for (const id of readdirSync(builds)) if (!isWanted(id)) await folders.dropBuild(id);
    },
  };
  return folders;
}
