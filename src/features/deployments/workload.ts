import { healthCheckTimesOf, type Workload, type WorkloadSize } from "../../cloud/platform.ts";
import { pick } from "../../lib/pick.ts";
import type { TypedSettings } from "../projects/service-settings.ts";

/** How a service is built and run, from its settings; null for an external service and a data store. Pure. */
export function workloadOf({ type, settings }: TypedSettings): Workload | null {
  switch (type) {
    case "static": {
      const { buildCommand = null, outputDirectory, singlePageApp = false } = settings;
      const app = singlePageApp ? { singlePageApp } : {};
      return {
        type,
        ...pick(settings, ["basePath", "installCommand"]),
        buildCommand,
        outputDirectory,
        ...app,
      };
    }
    case "web":
    case "web-private": {
      const { buildCommand = null, startCommand = null, port, healthCheckPath } = settings;
      return {
        type: "web",
        ...(type === "web-private" ? { isPrivate: true } : {}),
        ...pick(settings, IMAGE),
        buildCommand,
        startCommand,
        ...pick(settings, ["preDeployCommand", "postDeployCommand"]),
        port,
        healthCheckPath,
        ...healthCheckTimesOf(settings),
        ...pick(settings, ["logRetentionDays", "autoscaling"]),
        size: sizeOf(settings),
      };
    }
    case "worker": {
      const { buildCommand = null, startCommand = null } = settings;
      const more = ["preDeployCommand", "postDeployCommand", "logRetentionDays", "autoscaling"] as const;
      const commands = { buildCommand, startCommand, ...pick(settings, more) };
      return { type, ...pick(settings, IMAGE), ...commands, size: sizeOf(settings) };
    }
    case "scheduler": {
      const { buildCommand = null, cpu, memoryGb } = settings;
      // Of an execution.
      const size = { cpu, memoryGb, minInstances: 1, maxInstances: 1 };
      return { type, ...pick(settings, IMAGE), buildCommand, ...pick(settings, ["logRetentionDays"]), size };
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

/** The fields of what is built from a repository, or runs an image instead. */
const IMAGE = ["image", "basePath", "dockerfilePath", "dockerContext", "installCommand"] as const;

function sizeOf({ cpu, memoryGb, minInstances, maxInstances }: WorkloadSize): WorkloadSize {
  return { cpu, memoryGb, minInstances, maxInstances };
}
