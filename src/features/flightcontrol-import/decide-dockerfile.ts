/** Which Dockerfile builds a service, and which files it sees. Pure. */
import { readPlace } from "./command-lines.ts";
import {
  blocking,
  changed,
  ignored,
  type ImportCloud,
  mapped,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

export type DockerBuild = {
  /** `dockerfilePath` is relative to `basePath`. */
  readonly settings: { readonly basePath?: string; readonly dockerfilePath?: string };
  readonly dockerfilePath: Verdict;
  readonly dockerContext: Verdict;
};

const USUAL = "Dockerfile";

/** The file gives the Dockerfile's path from the root of the repository. */
export function decideDockerfile(raw: Raw, { buildsDockerfiles }: ImportCloud): DockerBuild {
  const file = readPlace(raw["dockerfilePath"] ?? USUAL);
  const context = readPlace(raw["dockerContext"] ?? ".");
  if (file === null || file === ".")
    return { settings: {}, dockerfilePath: wrongForm("a file of the repository"), dockerContext: ROOT };
  if (context === null)
    return { settings: {}, dockerfilePath: mapped(), dockerContext: wrongForm("a folder of the repository") };
  const isInside = context === "." || file.startsWith(`${context}/`);
  const inside = context === "." || !isInside ? file : file.slice(context.length + 1);
  const isUsual = inside === USUAL;
  return {
    settings: {
      ...(context === "." ? {} : { basePath: context }),
      ...(isUsual || !buildsDockerfiles ? {} : { dockerfilePath: inside }),
    },
    dockerfilePath: isUsual
      ? ignored("Slipway builds the file of this name, too.")
      : !buildsDockerfiles
        ? blocking(
            "This server builds no Dockerfile.",
            "Set buildCommand and startCommand to the commands that the Dockerfile runs.",
          )
        : inside === raw["dockerfilePath"]
          ? mapped()
          : changed(`It is written from basePath: ${inside}.`),
    dockerContext:
      context === "."
        ? ROOT
        : isInside
          ? changed("It is called basePath.")
          : blocking(
              "Slipway builds a Dockerfile of the folder that it sees, and this one is outside of dockerContext.",
              "Move the Dockerfile into that folder, or write its paths from the root of the repository and remove basePath.",
            ),
  };
}

const ROOT = ignored("It is the root of the repository, as with Slipway.");
