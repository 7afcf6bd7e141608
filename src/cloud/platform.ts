/**
 * The part of a cloud that builds commits and runs them. Two adapters implement it beside `Cloud`, and
 * one suite tests both against what is written here.
 *
 * As with `Cloud`: every call may be repeated with the same token and finds its effect done; no call
 * waits for a build or a release; callers describe, and check again later. Every failure is a `CloudError`.
 */
import type { CloudAccount } from "./cloud.ts";
import type { StoreSettings, StoreType } from "./data-stores.ts";

/** A line for `sh`; or a program and its arguments, taken literally, which no shell reads. */
export type Command = string | readonly string[];

/**
 * How a service is built and run. `external` services have no platform. `basePath` is the folder of the repository where
 * its commands run; without it, the root. `installCommand` runs before `buildCommand`, in the same build.
 * `preDeployCommand` runs once in the files of a release, before its first process. `postDeployCommand` is not for the
 * platform: Slipway runs it as an execution.
 */
export type Workload =
  | {
      readonly type: "static";
      readonly basePath?: string;
      readonly installCommand?: string;
      readonly buildCommand: string | null;
      /** Relative to `basePath`. */
      readonly outputDirectory: string;
      /** Answers every address without a file extension with `index.html`. */
      readonly singlePageApp?: boolean;
    }
  | (RunningWorkload & {
      readonly type: "web";
      readonly port: number;
      readonly healthCheckPath: string;
      /** It has no distribution: only other services of its environment reach it. */
      readonly isPrivate?: boolean;
      /** Only for a cloud that scales instances. */
      readonly autoscaling?: Autoscaling;
    } & HealthCheckTimes)
  | (RunningWorkload & {
      readonly type: "worker";
      readonly autoscaling?: Omit<Autoscaling, "requestsPerTarget">;
    })
  /** Built and released like a worker, but no process is started: its commands run as executions. */
  | (ImageWorkload & { readonly type: "scheduler" });

type ImageWorkload = {
  /** Runs instead of what a build of the repository makes; only for a cloud that runs images. */
  readonly image?: string;
  readonly basePath?: string;
  /** Relative to `basePath`; only for a cloud that builds Dockerfiles. */
  readonly dockerfilePath?: string;
  /** The folder that the Dockerfile's build sees, relative to the root; by default, `basePath`. */
  readonly dockerContext?: string;
  readonly installCommand?: string;
  readonly buildCommand: string | null;
  /** Of an instance; of a scheduler, of an execution. */
  readonly size: WorkloadSize;
  /** For how many days output is kept, if the cloud keeps it by days; by default, 30. */
  readonly logRetentionDays?: number;
};

type RunningWorkload = ImageWorkload & {
  readonly startCommand: Command | null;
  readonly preDeployCommand?: Command;
  readonly postDeployCommand?: Command;
};

/**
 * What the number of instances is adjusted to, between the two limits of the size. Instances are added for the first
 * threshold that is exceeded, and removed when all allow it.
 */
export type Autoscaling = {
  /** Average CPU usage, in percent. */
  readonly cpuThreshold?: number;
  /** Average memory usage, in percent. */
  readonly memoryThreshold?: number;
  /** Requests a minute, per instance. */
  readonly requestsPerTarget?: number;
};

/** The image that a workload names; null if a build makes it. Pure. */
export function imageOf(workload: Workload): string | null {
  return workload.type === "static" ? null : (workload.image ?? null);
}

/** Without `autoscaling`. */
export const AUTOSCALING_DEFAULT: Autoscaling = { cpuThreshold: 70 };

const HEALTH_CHECK_TIMES = [
  "healthCheckIntervalSeconds",
  "healthCheckTimeoutSeconds",
  "healthCheckGracePeriodSeconds",
] as const;

/** Those of CloudWatch (https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html). */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;
export const LOG_RETENTION_DEFAULT = 30;

/** The interval is for AWS; the sandbox and own servers check more often. */
export const HEALTH_CHECK_DEFAULTS = {
  intervalSeconds: 10,
  timeoutSeconds: 5,
  gracePeriodSeconds: 60,
} as const;

/** A time that is left out has its default. */
export type HealthCheckTimes = {
  readonly [T in (typeof HEALTH_CHECK_TIMES)[number]]?: number;
};

/** The times among other fields. Pure. */
export function healthCheckTimesOf(fields: HealthCheckTimes): HealthCheckTimes {
  return Object.fromEntries(
    HEALTH_CHECK_TIMES.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

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
  /** Services of one environment can reach each other. Never changes either. */
  readonly environmentId: string;
  /** The template of a preview that may read the template's values for previews; a fork's preview has none here. */
  readonly templateId?: string;
  /** Its commits come from another repository, so it may not read what the customer gave to Slipway's services. */
  readonly isFork?: true;
  /**
   * The environment whose network and load balancer the service uses, if it is not its own: the template of a preview.
   * A platform that does not share any, such as the sandbox, isolates by `environmentId` only.
   */
  readonly networkId?: string;
  readonly region: string;
};

/** Enough to find what the platform runs of a service. */
export type ServicePlace = Omit<PlatformService, "environmentId">;

/**
 * The limit for a commit's files, and for the history that is fetched with it. A larger repository fails its build
 * with `REPOSITORY_TOO_LARGE`.
 */
export const REPOSITORY_MAX_BYTES = 1024 ** 3;

/** The line of a build's log if package managers leave out what the build may need. */
export const DEV_DEPENDENCIES_HINT =
  "NODE_ENV is production, so package managers leave out devDependencies. If the build needs them, add --include=dev (npm), --prod=false (pnpm) or --production=false (yarn).";

/** Where a value is in the account. */
export type ValueReference = {
  readonly kind: "fromParameterStore" | "fromSecretsManager";
  readonly reference: string;
};

/** The value of a variable. What the account keeps is passed as a reference, and resolved there. */
export type RuntimeValue =
  | { readonly kind: "plainText"; readonly value: string }
  | ValueReference
  /** Texts as they are, and between them percent-encoded values; only for a cloud that `joinsValues`. */
  | { readonly kind: "joined"; readonly parts: readonly (string | ValueReference)[] };

/** A variable of a build or a release. */
export type RuntimeVariable = { readonly name: string } & RuntimeValue;

export type BuildRequest = {
  /** Derived from deployment and service: the same token starts one build. */
  readonly token: string;
  readonly service: PlatformService;
  readonly workload: Workload;
  readonly source: {
    readonly repoUrl: string;
    /** The full hash. */
    readonly commit: string;
    readonly branch: string;
  };
  /** In the environment of the build command. */
  readonly variables: readonly RuntimeVariable[];
  /** After this many seconds, the provider ends the build as `TIMED_OUT`. */
  readonly timeLimitSeconds: number;
};

/** How git logs in at the host of a source, over HTTPS. Never logged, and never stored in clear text. */
export type SourceCredentials = { readonly username: string; readonly token: string };

/** Opens the credentials of a build's source; null if it is public. */
export type OpenCredentials = () => Promise<SourceCredentials | null>;

export const BUILD_STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED"] as const;
export type BuildStatus = (typeof BUILD_STATUSES)[number];

export type ObservedBuild = {
  readonly id: string;
  readonly status: BuildStatus;
  /**
   * What a release needs; only with `SUCCEEDED`. It stays valid for rollbacks: the live one and at least the last
   * five of a service are kept. A release of a removed artifact fails (`ARTIFACT_NOT_FOUND`).
   */
  readonly artifact: string | null;
  /** With every failed status: a sentence for users. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** With `RUNNING`, if it waits for something known: the end of a sentence for users. */
  readonly waitingFor: string | null;
  /** With `RUNNING`: it waits for `start` with its token, because it lost its credentials in a restart. */
  readonly needsCredentials?: boolean;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
};

export type ReleaseRequest = {
  /** Derived from deployment and service: the same token makes one release. */
  readonly token: string;
  readonly service: PlatformService;
  readonly workload: Workload;
  readonly artifact: string;
  readonly variables: readonly RuntimeVariable[];
};

export type StoreRequest = {
  readonly service: PlatformService;
  readonly store: StoreSettings;
  /** Its data comes from this snapshot, if it does not exist yet: the service and the token of the snapshot. */
  readonly snapshot: { readonly serviceId: string; readonly token: string } | null;
};

export const STORE_STATUSES = ["CREATING", "AVAILABLE", "CHANGING", "DELETING", "FAILED"] as const;
/** `FAILED`: it could not be created, and has no data; the next `ensure` tries again. */
export type StoreStatus = (typeof STORE_STATUSES)[number];

export type StoreFailure = { readonly code: string; readonly message: string };

export type PlacedStore = PlatformService & { readonly type: StoreType };

export type ObservedStore = {
  readonly status: StoreStatus;
  /**
   * With `FAILED`. With `AVAILABLE`, why the last change was not made: the store is as it was before. With `CHANGING`, why
   * it does not run now.
   */
  readonly failure: StoreFailure | null;
  /** Like a build's, with `CREATING`, `CHANGING` and `DELETING`. */
  readonly waitingFor: string | null;
  /** The version that runs, once known. */
  readonly version: string | null;
  /**
   * Each property of its type that other services may refer to (`dbConnectionString`, …), with `AVAILABLE` and `CHANGING`
   * without a failure; otherwise empty. What contains a password is a reference, or `joined` for a cloud that `joinsValues`.
   */
  readonly values: Readonly<Record<string, RuntimeValue>>;
};

export const SNAPSHOT_STATUSES = ["CREATING", "AVAILABLE", "FAILED"] as const;
export type SnapshotStatus = (typeof SNAPSHOT_STATUSES)[number];

export type ObservedSnapshot = {
  readonly token: string;
  readonly status: SnapshotStatus;
  /** With `FAILED`. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** If known. */
  readonly sizeBytes: number | null;
};

export const RELEASE_STATUSES = ["STARTING", "LIVE", "FAILED", "SUPERSEDED"] as const;
/**
 * `LIVE`: healthy, and all new requests go to it. If a release fails, the previous one stays live.
 * `SUPERSEDED`: a later release is live, or was requested while this one was still starting.
 */
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

export type ObservedRelease = {
  readonly token: string;
  readonly status: ReleaseStatus;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /**
   * Where other services of the environment reach it (`http://host:port`), once it is live; null for a
   * worker or a scheduler. The address belongs to the service and is the same for every release.
   */
  readonly url: string | null;
  /** Like a build's, with `STARTING`. */
  readonly waitingFor: string | null;
};

/** How a live release does at this moment. */
export type ReleaseHealth = {
  /** Whether its process runs and has passed its health check; of files, whether they are there. */
  readonly isRunning: boolean;
  /** Whether its environment sleeps. */
  readonly isAsleep: boolean;
  /** Why it does not, although it is to, as a sentence for users. */
  readonly problem: string | null;
};

/** How many instances of a service there are. */
export type ObservedInstances = {
  /** How many the platform is to run. */
  readonly desired: number;
  readonly running: number;
  /** Instances that are starting. */
  readonly pending: number;
};

export type ExecutionRequest = {
  /** The execution's id: the same token starts one execution. */
  readonly token: string;
  readonly service: PlatformService;
  /** The token of the live release whose files and variables the command gets. */
  readonly release: string;
  readonly command: string;
  readonly size: Pick<WorkloadSize, "cpu" | "memoryGb">;
  /** After this many seconds it is stopped, and ends as `TIMED_OUT`. */
  readonly timeLimitSeconds: number;
};

export const EXECUTION_STATUSES = [
  "STARTING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export type ObservedExecution = {
  readonly token: string;
  readonly status: ExecutionStatus;
  /** Null while it runs, and if it was stopped. */
  readonly exitCode: number | null;
  /** With `FAILED`, `TIMED_OUT` and `CANCELLED`. `INTERRUPTED`: it was lost while it ran, and is not run again. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** When its command began; null if it has not. */
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
};

/** How an environment with a live web service is used. */
export type EnvironmentActivity = {
  readonly environmentId: string;
  /** The end of the last request of a visitor to one of its web services, or their last start. Now, while a request runs. */
  readonly usedAt: Date;
  /** Null if it is awake. */
  readonly asleepSince: Date | null;
};

export type LogLine = {
  readonly at: Date;
  readonly stream: "build" | "stdout" | "stderr" | "platform";
  readonly text: string;
};

export type LogPage = {
  readonly lines: readonly LogLine[];
  /** Opaque: pass it to read on. Stays valid when there is nothing new yet. */
  readonly next: string;
};

export interface Platform {
  /** The provider's name of a service's or an environment's stack, where its customer finds it. Pure. */
  stackNameOf(part: { readonly kind: "service" | "environment"; readonly id: string }): string;
  readonly builds: {
    /**
     * @param openCredentials only called by platforms that fetch sources themselves, and keep no authorization to do so.
     * If it throws, nothing is started, and the error is passed on.
     */
    start(
      account: CloudAccount,
      request: BuildRequest,
      openCredentials?: OpenCredentials,
    ): Promise<ObservedBuild>;
    /** Null if no build was started with the token. */
    describe(account: CloudAccount, token: string): Promise<ObservedBuild | null>;
    /** Cancelling an ended build is not an error. */
    cancel(account: CloudAccount, token: string): Promise<void>;
    /** The build's output; without a cursor, from the start. @throws CloudError `gone` for an unknown token */
    logs(account: CloudAccount, token: string, cursor: string | null): Promise<LogPage>;
  };
  readonly releases: {
    /**
     * Starts an artifact beside the running release, and switches over when it is healthy. Before that, it runs
     * `preDeployCommand`; if the command fails, so does the release. A later release of the service supersedes a
     * release that is still starting.
     */
    start(account: CloudAccount, request: ReleaseRequest): Promise<ObservedRelease>;
    /** Null if there is no release with the token. */
    describe(account: CloudAccount, token: string): Promise<ObservedRelease | null>;
    /** Cancels a release that is still starting; the previous one stays live. */
    cancel(account: CloudAccount, token: string): Promise<void>;
    /** Null if the platform does not report it, or has no live release with the token. */
    health(account: CloudAccount, token: string): Promise<ReleaseHealth | null>;
    /** The output of the release's processes; only the end if it is long. @throws CloudError `gone` for an unknown token */
    logs(account: CloudAccount, token: string, cursor: string | null): Promise<LogPage>;
  };
  readonly executions: {
    /**
     * Runs a command once, in its own copy of a release's files, with the variables of the release. Their managed values
     * are hidden in its output, except on AWS, where it is the customer's own log. It continues if the release is superseded or its environment sleeps, and ends with
     * its service. Nothing that it started outlives it.
     */
    start(account: CloudAccount, request: ExecutionRequest): Promise<ObservedExecution>;
    /** Null if none was started with the token. */
    describe(account: CloudAccount, token: string): Promise<ObservedExecution | null>;
    /** Stops it, which may take a moment; succeeds if it has ended. */
    cancel(account: CloudAccount, token: string): Promise<void>;
    /** Its output; only the end if it is long. @throws CloudError `gone` for an unknown token */
    logs(account: CloudAccount, token: string, cursor: string | null): Promise<LogPage>;
  };
  readonly services: {
    /**
     * Null if the platform cannot say, or nothing of the service is live.
     * @param token of its live release
     */
    instances(account: CloudAccount, service: ServicePlace, token: string): Promise<ObservedInstances | null>;
    /**
     * Sets how many instances are to run, until the platform or the next call changes it. A release keeps the number if
     * the limits of its size differ.
     * @throws CloudError `gone` if the platform runs no such service; `invalid` if `Cloud.scalesInstances` is false
     */
    scale(account: CloudAccount, service: ServicePlace, count: number): Promise<void>;
    /** Stops and removes everything of a service: releases, builds, artifacts, executions. Succeeds if it is already gone. */
    remove(account: CloudAccount, service: ServicePlace): Promise<void>;
  };
  /** The data stores of `Cloud.createsStores`. */
  readonly stores: {
    /**
     * Creates a store, or changes it in place. Never replaces one or its data: a change that would is refused.
     * A store that fails is an `ObservedStore`, not an error.
     * @throws CloudError `invalid` for a type or a change that the platform does not support
     */
    ensure(account: CloudAccount, request: StoreRequest): Promise<ObservedStore>;
    /** Null if it does not exist. */
    describe(account: CloudAccount, service: PlatformService): Promise<ObservedStore | null>;
    /**
     * Deletes a store with its data and secrets, whatever its `deletionProtection`: Slipway checks that before. Other
     * snapshots stay. Call it until it returns null; succeeds if it is already gone.
     * @param snapshot token of the snapshot that is taken first, and without which nothing is deleted. Not of a bucket:
     * only an empty one is deleted (`failure` otherwise).
     */
    remove(
      account: CloudAccount,
      service: PlatformService,
      snapshot: string | null,
    ): Promise<ObservedStore | null>;
    /**
     * Those of some available stores that do not run, with why, by the ids of their services. Reads only: with one call
     * for each region and kind of stores, however many there are.
     */
    listDown(
      account: CloudAccount,
      stores: readonly PlacedStore[],
    ): Promise<ReadonlyMap<string, StoreFailure>>;
    readonly snapshots: {
      /** Of a database or a cache. The token is the snapshot's id: the same token takes one snapshot. */
      create(account: CloudAccount, service: PlatformService, token: string): Promise<ObservedSnapshot>;
      /** Null if it does not exist. It outlives its store. */
      describe(
        account: CloudAccount,
        service: PlatformService,
        token: string,
      ): Promise<ObservedSnapshot | null>;
      /** Succeeds if it is already gone. */
      remove(account: CloudAccount, service: PlatformService, token: string): Promise<void>;
    };
  };
  readonly environments: {
    /** Of those of these environments that have a live web service. None where `Cloud.sleeps` is false. */
    activity(
      account: CloudAccount,
      environmentIds: readonly string[],
    ): Promise<readonly EnvironmentActivity[]>;
    /**
     * Stops the processes of all services of an environment, unless it was used after `usedAt`. They stay live: the next
     * request to one of its web services starts all of them again and waits for the answer, and so does the next release.
     * @returns the activity after that
     */
    sleep(account: CloudAccount, environmentId: string, usedAt: Date): Promise<EnvironmentActivity | null>;
    /**
     * Removes what the services of an environment share. All of the services must have been removed before.
     * Succeeds if it is already gone.
     */
    remove(account: CloudAccount, environment: Omit<PlatformService, "serviceId">): Promise<void>;
  };
}
