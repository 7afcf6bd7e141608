/**
 * The next steps of a run whose configuration is applied.
 *
 * All services are built before any is released, so that a failed build does not affect running services. A
 * release waits for the services in `dependsOn`. If possible, it also waits for the services that its variables
 * link to, so that it starts with their new addresses.
 */
import type { ObservedBuild, ObservedRelease } from "../../cloud/platform.ts";
import { type DeploymentError, type DeploymentStatus, hasEnded, type ServiceStatus } from "./deployment.ts";
import { CANCELLED_UNRELEASED } from "./errors.ts";

/** What decides a service's next step. */
export type ObservedService = {
  readonly serviceId: string;
  readonly configId: string;
  readonly status: ServiceStatus;
  /** Ids of services of the run. */
  readonly dependsOn: readonly string[];
  readonly linksTo: readonly string[];
  /** When its present phase began; null outside of a phase. */
  readonly since: Date | null;
  /** With `BUILDING` and `DEPLOYING`: null if the platform has none, "unknown" if the platform did not answer. */
  readonly build: ObservedBuild | "unknown" | null;
  readonly release: ObservedRelease | "unknown" | null;
};

export type ServiceStep =
  | { readonly kind: "startBuild" | "startRelease" | "waitForLink" | "wait" }
  /** Record that the platform is done. */
  | { readonly kind: "built"; readonly artifact: string }
  | { readonly kind: "released"; readonly url: string | null }
  /** Record a failure. */
  | { readonly kind: "end"; readonly status: EndStatus; readonly error: DeploymentError }
  /** Record a failure after stopping the platform. */
  | {
      readonly kind: "stopBuild" | "stopRelease";
      readonly status: EndStatus;
      readonly error: DeploymentError;
    };

type EndStatus = "ERROR" | "BUILD_ERROR" | "CANCELLED";

export type RunStep =
  | {
      readonly kind: "services";
      readonly status: "BUILDING" | "DEPLOYING";
      /** By service id; services without a step are left out. */
      readonly steps: ReadonlyMap<string, ServiceStep>;
    }
  /** All services are live: remove what the configuration no longer has. */
  | { readonly kind: "finish" }
  | { readonly kind: "end"; readonly status: DeploymentStatus; readonly error: DeploymentError };

export type RunLimits = {
  /** After this time a build is stopped, if the platform has not ended it. */
  readonly buildMs: number;
  readonly releaseMs: number;
};

const CANCELLED: DeploymentError = { code: "CANCELLED", message: "The deployment was cancelled." };
const OTHER_BUILD_FAILED: DeploymentError = {
  code: "OTHER_BUILD_FAILED",
  message: "The build of another service failed, so nothing was released.",
};

/** While a service has one of these, no service is released. */
const IN_BUILD_PHASE: ReadonlySet<ServiceStatus> = new Set(["PENDING", "BUILDING", "BUILD_ERROR"]);

/** Pure. */
export function decideRun(
  services: readonly ObservedService[],
  isCancelRequested: boolean,
  limits: RunLimits,
  now: Date,
): RunStep {
  if (services.every(({ status }) => status === "SUCCESS")) return { kind: "finish" };
  if (services.every(({ status }) => hasEnded(status))) return end(services);
  const isBuilding = services.some(({ status }) => IN_BUILD_PHASE.has(status));
  const status = isBuilding ? "BUILDING" : "DEPLOYING";
  const decide = isBuilding ? buildPhase : releasePhase;
  const stepOf = isCancelRequested ? stop(CANCELLED) : decide(services, limits, now);
  const steps = new Map<string, ServiceStep>();
  for (const service of services) {
    if (hasEnded(service.status)) continue;
    const step = stepOf(service);
    if (step !== null) steps.set(service.serviceId, step);
  }
  return { kind: "services", status, steps };
}

function end(services: readonly ObservedService[]): RunStep {
  const having = (status: ServiceStatus) =>
    services.filter((service) => service.status === status).map(({ configId }) => configId);
  const failed = having("ERROR");
  if (failed.length > 0) {
    const message = `${named(failed)} could not be released. Earlier releases stay live.`;
    return { kind: "end", status: "ERROR", error: { code: "RELEASE_FAILED", message } };
  }
  const broken = having("BUILD_ERROR");
  if (broken.length > 0) {
    const message = `${named(broken)} could not be built. Nothing was released.`;
    return { kind: "end", status: "BUILD_ERROR", error: { code: "BUILD_FAILED", message } };
  }
  const live = having("SUCCESS");
  if (live.length === 0) return { kind: "end", status: "CANCELLED", error: CANCELLED_UNRELEASED };
  const message = `${named(live)} had already been released when the deployment was cancelled. The new releases stay live.`;
  return { kind: "end", status: "CANCELLED", error: { code: "CANCELLED", message } };
}

function named(configIds: readonly string[]): string {
  return `${configIds.length === 1 ? "The service" : "The services"} ${configIds.join(", ")}`;
}

type StepOf = (service: ObservedService) => ServiceStep | null;

/** Ends everything that has not ended. A service that turns out to be live counts as released. */
function stop(error: DeploymentError): StepOf {
  return ({ status, release }) => {
    if (status === "BUILDING") return { kind: "stopBuild", status: "CANCELLED", error };
    if (status !== "DEPLOYING") return { kind: "end", status: "CANCELLED", error };
    if (release !== null && release !== "unknown" && release.status === "LIVE") {
      return { kind: "released", url: release.url };
    }
    return { kind: "stopRelease", status: "CANCELLED", error };
  };
}

function buildPhase(services: readonly ObservedService[], limits: RunLimits, now: Date): StepOf {
  if (services.some(({ status }) => status === "BUILD_ERROR")) return stop(OTHER_BUILD_FAILED);
  return (service) => {
    if (service.status === "PENDING") return { kind: "startBuild" };
    if (service.status !== "BUILDING") return null;
    const { build } = service;
    if (build !== null && build !== "unknown" && build.status !== "RUNNING") return afterBuild(build);
    if (isOverdue(service, limits.buildMs, now)) {
      const message = `The build did not end within ${describeTime(limits.buildMs)}${waitedFor(build)}.`;
      return { kind: "stopBuild", status: "BUILD_ERROR", error: { code: "BUILD_TIMED_OUT", message } };
    }
    // The call that should have started it never arrived, or the platform has lost what it needs from it.
    const isAskedFor = build === null || (build !== "unknown" && build.needsCredentials === true);
    return { kind: isAskedFor ? "startBuild" : "wait" };
  };
}

function afterBuild({ status, artifact, failure }: ObservedBuild): ServiceStep {
  if (status === "SUCCEEDED" && artifact !== null) return { kind: "built", artifact };
  const error = failure ?? { code: `BUILD_${status}`, message: "The build ended without an artifact." };
  return { kind: "end", status: "BUILD_ERROR", error };
}

function releasePhase(services: readonly ObservedService[], limits: RunLimits, now: Date): StepOf {
  const byId = new Map(services.map((service) => [service.serviceId, service]));
  const statusesOf = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id)?.status ?? []);
  const isReady = ({ status, dependsOn }: ObservedService): boolean =>
    status === "INPROGRESS" && statusesOf(dependsOn).every((other) => other === "SUCCESS");
  const isPreferred = (service: ObservedService): boolean =>
    statusesOf(service.linksTo.filter((id) => id !== service.serviceId)).every((other) => hasEnded(other));
  // Links may form a circle. Then one service has to start with an outdated address.
  const mayWaitForLinks = services.some(
    (service) => service.status === "DEPLOYING" || (isReady(service) && isPreferred(service)),
  );
  return (service) => {
    if (service.status === "DEPLOYING") return whileReleasing(service, limits, now);
    const failed = service.dependsOn.find((id) => hasFailed(byId.get(id)?.status));
    if (failed !== undefined) {
      const message = `It depends on ${byId.get(failed)?.configId ?? failed}, which was not released.`;
      return { kind: "end", status: "CANCELLED", error: { code: "DEPENDENCY_FAILED", message } };
    }
    if (!isReady(service)) return null;
    return isPreferred(service) || !mayWaitForLinks ? { kind: "startRelease" } : { kind: "waitForLink" };
  };
}

function hasFailed(status: ServiceStatus | undefined): boolean {
  return status !== undefined && status !== "SUCCESS" && hasEnded(status);
}

function whileReleasing(service: ObservedService, limits: RunLimits, now: Date): ServiceStep {
  const { release } = service;
  if (release !== null && release !== "unknown") {
    if (release.status === "LIVE") return { kind: "released", url: release.url };
    if (release.status === "FAILED" || release.status === "SUPERSEDED") {
      const message =
        release.status === "FAILED"
          ? "The release did not become healthy."
          : "Another release of the service was started on the platform in the meantime.";
      const error = release.failure ?? { code: `RELEASE_${release.status}`, message };
      return { kind: "end", status: "ERROR", error };
    }
  }
  if (isOverdue(service, limits.releaseMs, now)) {
    const message = `The release did not go live within ${describeTime(limits.releaseMs)}${waitedFor(release)}.`;
    return { kind: "stopRelease", status: "ERROR", error: { code: "RELEASE_TIMED_OUT", message } };
  }
  return release === null ? { kind: "startRelease" } : { kind: "wait" };
}

function isOverdue({ since }: ObservedService, limitMs: number, now: Date): boolean {
  return since !== null && now.getTime() - since.getTime() > limitMs;
}

/** What it was waiting for, as last reported by the platform. */
function waitedFor(observed: ObservedBuild | ObservedRelease | "unknown" | null): string {
  if (observed === "unknown") return "; the platform could not be reached at the end";
  const waitingFor = observed?.waitingFor ?? null;
  return waitingFor === null ? "" : `; it was waiting for ${waitingFor}`;
}

function describeTime(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1_000)} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
