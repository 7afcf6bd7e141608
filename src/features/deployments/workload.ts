import {
  type Autoscaling,
  type Command,
  healthCheckTimesOf,
  type PlatformService,
  type Workload,
  type WorkloadSize,
} from "../../cloud/platform.ts";
import type { Environment } from "../projects/project.ts";
import type { TypedSettings } from "../projects/service-settings.ts";

/** A service as the platform knows it. Pure. */
export function platformServiceOf(
  {
    id: environmentId,
    region,
    templateId,
    isFork,
  }: Pick<Environment, "id" | "region" | "templateId" | "isFork">,
  { serviceId }: { readonly serviceId: string },
): PlatformService {
  if (templateId === null) return { serviceId, environmentId, region };
  // The previews of a template share its network, which no other environment uses.
  const preview = { serviceId, environmentId, region, networkId: templateId };
  return isFork ? preview : { ...preview, templateId };
}

/** How a service is built and run, from its settings; null for an external service and a data store. Pure. */
export function workloadOf({ type, settings }: TypedSettings): Workload | null {
  switch (type) {
    case "static": {
      const { outputDirectory, singlePageApp = false } = settings;
      const app = singlePageApp ? { singlePageApp } : {};
      return { type, ...placeOf(settings), ...buildOf(settings), outputDirectory, ...app };
    }
    case "web":
    case "web-private": {
      const { startCommand, port, healthCheckPath } = settings;
      const { autoscaling } = settings;
      const server = { port, healthCheckPath, ...healthCheckTimesOf(settings), ...logOf(settings) };
      const commands = { ...buildOf(settings), startCommand, ...hooksOf(settings) };
      return {
        type: "web",
        ...(type === "web-private" ? { isPrivate: true } : {}),
        ...placeOf(settings),
        ...commands,
        ...server,
        ...scalingOf(autoscaling),
        size: sizeOf(settings),
      };
    }
    case "worker": {
      const { startCommand } = settings;
      const commands = { ...buildOf(settings), startCommand, ...hooksOf(settings) };
      const more = { ...logOf(settings), ...scalingOf(settings.autoscaling) };
      return { type, ...placeOf(settings), ...commands, ...more, size: sizeOf(settings) };
    }
    case "scheduler": {
      const { cpu, memoryGb } = settings;
      // Of an execution.
      const size = { cpu, memoryGb, minInstances: 1, maxInstances: 1 };
      return { type, ...placeOf(settings), ...buildOf(settings), ...logOf(settings), size };
    }
    case "external":
    case "previews":
    case "postgres":
    case "mysql":
    case "redis":
    case "bucket":
      return null;
  }
}

type Place = { readonly basePath?: string; readonly dockerfilePath?: string };

function placeOf({ basePath, dockerfilePath }: Place): Place {
  return {
    ...(basePath === undefined ? {} : { basePath }),
    ...(dockerfilePath === undefined ? {} : { dockerfilePath }),
  };
}

function buildOf(settings: { readonly installCommand?: string; readonly buildCommand?: string }) {
  const { installCommand, buildCommand = null } = settings;
  return { ...(installCommand === undefined ? {} : { installCommand }), buildCommand };
}

function logOf({ logRetentionDays }: { readonly logRetentionDays?: number }): {
  readonly logRetentionDays?: number;
} {
  return logRetentionDays === undefined ? {} : { logRetentionDays };
}

function scalingOf<T extends Autoscaling>(autoscaling: T | undefined): { readonly autoscaling?: T } {
  return autoscaling === undefined ? {} : { autoscaling };
}

function hooksOf({
  preDeployCommand,
  postDeployCommand,
}: {
  readonly preDeployCommand?: Command;
  readonly postDeployCommand?: Command;
}) {
  return {
    ...(preDeployCommand === undefined ? {} : { preDeployCommand }),
    ...(postDeployCommand === undefined ? {} : { postDeployCommand }),
  };
}

function sizeOf({ cpu, memoryGb, minInstances, maxInstances }: WorkloadSize): WorkloadSize {
  return { cpu, memoryGb, minInstances, maxInstances };
}
