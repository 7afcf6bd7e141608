import path from "node:path";
import { CommandError, EXIT } from "./failure.ts";
import { readIfThere } from "./credentials.ts";

export const LINK_FILE = ".slipway-link.json";

/** The resources that commands use in a folder and below it. Not trusted, because a repository brings it along. */
export type Link = {
  readonly url: string;
  readonly projectId: string;
  readonly environmentId?: string;
  readonly serviceId?: string;
};

export type FoundLink = { readonly file: string; readonly link: Link };

/** The link of the folder, or of the nearest above it. @throws CommandError for a file that is none */
export function findLink(folder: string): FoundLink | null {
  const file = path.join(folder, LINK_FILE);
  const text = readIfThere(file);
  if (text !== null) return { file, link: parse(file, text) };
  const above = path.dirname(folder);
  return above === folder ? null : findLink(above);
}

function parse(file: string, text: string): Link {
  try {
    const { url, projectId, environmentId, serviceId } = JSON.parse(text) as Link;
    const isRight = [url, projectId, environmentId ?? "", serviceId ?? ""].every(
      (one) => typeof one === "string",
    );
    if (isRight && URL.canParse(url))
      return {
        url,
        projectId,
        ...(environmentId === undefined ? {} : { environmentId }),
        ...(serviceId === undefined ? {} : { serviceId }),
      };
  } catch {
    // Said below.
  }
  throw new CommandError(`${file} does not have the format that slipway link writes.`, {
    code: "LINK_UNREADABLE",
    exitCode: EXIT.FAILED,
    hint: "Remove it, or run slipway link again.",
  });
}
