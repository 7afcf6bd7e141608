import type { DetectedService } from "./detection.ts";

/** A region that has every service that Slipway uses; the caller may choose another. */
export const DEFAULT_REGION = "us-west-2";

/** A configuration with the service, in one environment; null while a required field is not known. Pure. */
export function proposeConfiguration(
  { type, buildCommand, outputDirectory, startCommand, port }: DetectedService,
  { branch, region }: { readonly branch: string; readonly region: string },
): Readonly<Record<string, unknown>> | null {
  const settings = type === "static" ? { outputDirectory } : { startCommand, port };
  if (Object.values(settings).includes(null)) return null;
  const build = buildCommand === null ? {} : { buildCommand };
  return {
    environments: [
      {
        id: "production",
        name: "Production",
        region,
        source: { branch, trigger: "manual" },
        services: [{ id: "web", name: "Web", type, ...build, ...settings }],
      },
    ],
  };
}
