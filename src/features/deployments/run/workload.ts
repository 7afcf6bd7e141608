import type { Workload, WorkloadSize } from "../../../cloud/platform.ts";
import type { TypedSettings } from "../../projects/service-settings.ts";

/** How a service is built and run, from its settings; null for an external service. Pure. */
export function workloadOf({ type, settings }: TypedSettings): Workload | null {
  switch (type) {
    case "static": {
      const { buildCommand = null, outputDirectory } = settings;
      return { type, buildCommand, outputDirectory };
    }
    case "web": {
      const { buildCommand = null, startCommand, port, healthCheckPath } = settings;
      return { type, buildCommand, startCommand, port, healthCheckPath, size: sizeOf(settings) };
    }
    case "worker": {
      const { buildCommand = null, startCommand } = settings;
      return { type, buildCommand, startCommand, size: sizeOf(settings) };
    }
    case "external":
      return null;
  }
}

function sizeOf({ cpu, memoryGb, minInstances, maxInstances }: WorkloadSize): WorkloadSize {
  return { cpu, memoryGb, minInstances, maxInstances };
}
