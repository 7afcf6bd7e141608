/** Which Dockerfile builds a service, and which files it sees. Pure. */
import { readPlace } from "./command-lines.ts";
import {
  blocking,
  changed,
  ignored,
  type ImportCloud,
  mapped,
  missing,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

export type DockerBuild = {
  readonly settings: { readonly dockerfilePath?: string; readonly dockerContext?: string };
  readonly dockerfilePath: Verdict;
  readonly dockerContext: Verdict;
};

const USUAL = "Dockerfile";

/** The file gives both paths from the root of the repository, as Slipway does without `basePath`. */
export function decideDockerfile(raw: Raw, { buildsDockerfiles }: ImportCloud): DockerBuild {
  const file = readPlace(raw["dockerfilePath"] ?? USUAL);
  const context = readPlace(raw["dockerContext"] ?? ".");
  if (file === null || file === ".")
    return { settings: {}, dockerfilePath: wrongForm("a file of the repository"), dockerContext: ROOT };
  if (context === null)
    return { settings: {}, dockerfilePath: mapped(), dockerContext: wrongForm("a folder of the repository") };
  const isUsual = file === USUAL;
  const isRoot = context === ".";
  return {
    settings: {
      ...(isUsual || !buildsDockerfiles ? {} : { dockerfilePath: file }),
      ...(isRoot || !buildsDockerfiles ? {} : { dockerContext: context }),
    },
    dockerfilePath: isUsual
      ? ignored("Slipway builds the file of this name, too.")
      : !buildsDockerfiles
        ? blocking(
            "This server builds no Dockerfile.",
            "Set buildCommand and startCommand to the commands that the Dockerfile runs.",
          )
        : judgePlace(file, raw["dockerfilePath"]),
    dockerContext: isRoot
      ? ROOT
      : buildsDockerfiles
        ? judgePlace(context, raw["dockerContext"])
        : missing("This server builds no Dockerfile."),
  };
}

function judgePlace(place: string, written: unknown): Verdict {
  return place === written ? mapped() : changed(`It is written as ${place}.`);
}

const ROOT = ignored("It is the root of the repository, as with Slipway.");
