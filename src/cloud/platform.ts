/**
 * The part of a cloud that builds commits and runs them. Two adapters implement it beside `Cloud`, and
 * one suite holds both to what is written here.
 *
 * As with `Cloud`: every call may be repeated with the same token and finds its effect done; no call
 * waits for a build or a release, callers describe and look again; every failure is a `CloudError`.
 */
import type { CloudAccount } from "./cloud.ts";

/** What a service is built and run as. `external` services have no platform. */
export type Workload =
  | { readonly type: "static"; readonly buildCommand: string | null; readonly outputDirectory: string }
  | {
      readonly type: "web";
      readonly buildCommand: string | null;
      readonly startCommand: string | null;
      readonly port: number;
      readonly healthCheckPath: string;
      readonly size: WorkloadSize;
    }
  | {
      readonly type: "worker";
      readonly buildCommand: string | null;
      readonly startCommand: string | null;
      readonly size: WorkloadSize;
    };

export type WorkloadSize = {
  /** Virtual CPUs. */
  readonly cpu: number;
  readonly memoryGb: number;
  readonly minInstances: number;
  readonly maxInstances: number;
};

/** A service on the platform; its id is Slipway's own and never changes. */
export type PlatformService = {
  readonly serviceId: string;
  /** Services of one environment reach one another; it does not change either. */
  readonly environmentId: string;
  readonly region: string;
};

/**
 * Of the files of a commit, and of what is fetched of its repository's history; a larger one ends its build
 * with `REPOSITORY_TOO_LARGE`.
 */
export const REPOSITORY_MAX_BYTES = 1024 ** 3;

/** What a service gets, built or run. A managed value travels as its reference and is resolved there. */
export type RuntimeVariable = { readonly name: string } & (
  | { readonly kind: "plainText"; readonly value: string }
  | { readonly kind: "fromParameterStore"; readonly reference: string }
  | { readonly kind: "fromSecretsManager"; readonly reference: string }
);

export type BuildRequest = {
  /** Deterministic, of deployment and service: the same token starts one build. */
  readonly token: string;
  readonly service: PlatformService;
  readonly workload: Workload;
  readonly source: {
    readonly repoUrl: string;
    /** The whole hash. */
    readonly commit: string;
    readonly branch: string;
  };
  /** In the environment of the build command. */
  readonly variables: readonly RuntimeVariable[];
  /** Seconds after which the provider ends the build as `TIMED_OUT`. */
  readonly timeLimitSeconds: number;
};

export const BUILD_STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED"] as const;
export type BuildStatus = (typeof BUILD_STATUSES)[number];

export type BuildSeen = {
  readonly id: string;
  readonly status: BuildStatus;
  /**
   * What a release takes: with `SUCCEEDED` only. It stays valid for rollbacks: what is live and the last
   * five of a service are kept at least, and a release of one that is gone fails (`ARTIFACT_NOT_FOUND`).
   */
  readonly artifact: string | null;
  /** With every status that is a failure: one sentence that may be shown. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** With `RUNNING`, where something is known to be waited for: the end of a sentence that may be shown. */
  readonly waitingFor: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
};

export type ReleaseRequest = {
  /** Deterministic, of deployment and service: the same token makes one release. */
  readonly token: string;
  readonly service: PlatformService;
  readonly workload: Workload;
  readonly artifact: string;
  readonly variables: readonly RuntimeVariable[];
};

export const RELEASE_STATUSES = ["STARTING", "LIVE", "FAILED", "SUPERSEDED"] as const;
/**
 * `LIVE`: healthy, and all new requests go to it. A release that fails leaves the one before in service.
 * `SUPERSEDED`: a later one is live, or was asked for while this one was still starting.
 */
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

export type ReleaseSeen = {
  readonly token: string;
  readonly status: ReleaseStatus;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /**
   * Where other services of the environment reach it (`http://host:port`), once it is live; null for a
   * worker. It is the service's and stays the same from release to release.
   */
  readonly url: string | null;
  /** As a build's, with `STARTING`. */
  readonly waitingFor: string | null;
};

export type LogLine = {
  readonly at: Date;
  readonly stream: "build" | "stdout" | "stderr" | "platform";
  readonly text: string;
};

export type LogPage = {
  readonly lines: readonly LogLine[];
  /** Opaque; asks for what follows. Stays usable when nothing follows yet. */
  readonly next: string;
};

export interface Platform {
  /** What its provider calls the stack of a service or an environment, where its customer finds it. Pure. */
  stackNameOf(part: { readonly kind: "service" | "environment"; readonly id: string }): string;
  readonly builds: {
    start(account: CloudAccount, request: BuildRequest): Promise<BuildSeen>;
    /** Null when no build was started with the token. */
    describe(account: CloudAccount, token: string): Promise<BuildSeen | null>;
    /** Ending what has ended is no error. */
    cancel(account: CloudAccount, token: string): Promise<void>;
    /** What the build printed, from the start without a cursor. @throws CloudError `gone` for an unknown token */
    logs(account: CloudAccount, token: string, cursor: string | null): Promise<LogPage>;
  };
  readonly releases: {
    /**
     * Starts what was built beside what runs, and switches over when it is healthy. A later release of the
     * service supersedes one that is still starting.
     */
    start(account: CloudAccount, request: ReleaseRequest): Promise<ReleaseSeen>;
    /** Null when there was no release with the token. */
    describe(account: CloudAccount, token: string): Promise<ReleaseSeen | null>;
    /** Ends one that is still starting; what served before goes on. */
    cancel(account: CloudAccount, token: string): Promise<void>;
    /** What the release's processes printed; of much, the end. @throws CloudError `gone` for an unknown token */
    logs(account: CloudAccount, token: string, cursor: string | null): Promise<LogPage>;
  };
  readonly services: {
    /** Stops and forgets all of a service: releases, builds, artifacts. Removing what is gone succeeds. */
    remove(account: CloudAccount, service: Omit<PlatformService, "environmentId">): Promise<void>;
  };
  readonly environments: {
    /**
     * Removes what the services of an environment shared; all of them must have been removed before.
     * Removing what is gone succeeds.
     */
    remove(account: CloudAccount, environment: Omit<PlatformService, "serviceId">): Promise<void>;
  };
}
