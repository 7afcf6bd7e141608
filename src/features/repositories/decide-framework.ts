/**
 * Which framework a repository uses, and with which settings it is built and served. Only the root of the repository
 * counts. What cannot be known is null, and a hint says what to check. Pure.
 */
import { decideLanguage } from "./decide-language.ts";
import { decideNodeFramework } from "./decide-node-framework.ts";
import { type Detection, type RepositoryFiles, serverOf, siteOf } from "./detection.ts";
import { readContainerFile } from "./read-container-file.ts";

/** The files whose text decides, if the root has them: at most ten are read. */
export function chooseFilesToRead(files: ReadonlySet<string>): readonly string[] {
  const deciding =
    /^(?:package\.json|Dockerfile|(?:next|astro|svelte)\.config\.(?:js|mjs|cjs|ts|mts)|requirements\.txt|pyproject\.toml|Procfile)$/;
  return [...files].filter((name) => deciding.test(name)).slice(0, FILES_READ_MAX);
}
const FILES_READ_MAX = 10;

/** Folders that may hold a site without a build, the usual ones first. */
export const SITE_FOLDERS = ["public", "dist", "site", "www", "docs", "_site"] as const;

/** @param siteFolder the first of `SITE_FOLDERS` with an `index.html` */
export function decideFramework(repository: RepositoryFiles, siteFolder: string | null): Detection {
  const { files, texts } = repository;
  if (files.has("Dockerfile")) return decideContainer(texts.get("Dockerfile") ?? "");
  if (files.has("package.json")) {
    const node = decideNodeFramework(repository);
    if (node !== null) return node;
  }
  const folder = files.has("index.html") ? "." : siteFolder;
  if (folder !== null)
    return {
      framework: { id: "static", name: "Static files" },
      service: siteOf(null, folder),
      reasons: [folder === "." ? "The root has an index.html." : `The folder ${folder} has an index.html.`],
      hints: [],
    };
  return decideLanguage(repository) ?? UNKNOWN;
}

const UNKNOWN: Detection = {
  framework: null,
  service: siteOf(null, null),
  reasons: [],
  hints: [
    "The root of the repository shows no framework that Slipway knows. Enter the settings, or add a Dockerfile.",
  ],
};

function decideContainer(text: string): Detection {
  const { command, port } = readContainerFile(text);
  const hints = [
    ...(command === null
      ? ["The Dockerfile names no command as text. Enter the command that starts the server."]
      : []),
    ...(port === null ? ["The Dockerfile exposes no port. Check the port where the server listens."] : []),
  ];
  return {
    framework: { id: "dockerfile", name: "Dockerfile" },
    service: serverOf(null, command, port ?? 8080),
    reasons: ["The root has a Dockerfile."],
    hints,
  };
}
