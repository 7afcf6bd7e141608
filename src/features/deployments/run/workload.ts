import type { Workload, WorkloadSize } from "../../../cloud/platform.ts";
import type { Service } from "../../projects/project.ts";

/** What a service is built and run as, by its settings; null for an external one. Pure. */
export function workloadOf({ type, settings }: Pick<Service, "type" | "settings">): Workload | null {
  const buildCommand = textOf(settings["buildCommand"]);
  switch (type) {
    case "static":
      return { type, buildCommand, outputDirectory: String(settings["outputDirectory"]) };
    case "web":
      return {
        type,
        buildCommand,
        startCommand: textOf(settings["startCommand"]),
        port: Number(settings["port"]),
        healthCheckPath: textOf(settings["healthCheckPath"]) ?? "/",
        size: sizeOf(settings),
      };
    case "worker":
      return { type, buildCommand, startCommand: textOf(settings["startCommand"]), size: sizeOf(settings) };
    case "external":
      return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A configuration that was read has all of them. */
function sizeOf(settings: Service["settings"]): WorkloadSize {
  return {
    cpu: Number(settings["cpu"]),
    memoryGb: Number(settings["memoryGb"]),
    minInstances: Number(settings["minInstances"]),
    maxInstances: Number(settings["maxInstances"]),
  };
}
