/** The files of a repository, and the framework that they show. */
import type { AppError } from "../../lib/errors.ts";
import type { ImportedFile } from "../flightcontrol-import/flightcontrol-import.ts";
import type { FolderEntry } from "../../git/git.ts";

export const CONFIG_FILE = "slipway.json";
export const FLIGHTCONTROL_FILE = "flightcontrol.json";

/** The root of a repository at a commit. */
export type RepositoryFiles = {
  readonly files: ReadonlySet<string>;
  /** The texts of the files that decide, by name. */
  readonly texts: ReadonlyMap<string, string>;
};

export const FRAMEWORK_IDS = [
  "dockerfile",
  "next",
  "nuxt",
  "astro",
  "sveltekit",
  "remix",
  "gatsby",
  "docusaurus",
  "eleventy",
  "angular",
  "create-react-app",
  "vue-cli",
  "vite",
  "parcel",
  "node",
  "static",
  "django",
  "flask",
  "fastapi",
  "python",
  "go",
  "rust",
  "ruby",
  "php",
  "java",
  "dotnet",
] as const;

export type Framework = { readonly id: (typeof FRAMEWORK_IDS)[number]; readonly name: string };

/** The settings of a service, as far as they are known; fields that the type does not have are null too. */
export type DetectedService = {
  readonly type: "static" | "web";
  readonly buildCommand: string | null;
  readonly outputDirectory: string | null;
  readonly startCommand: string | null;
  readonly port: number | null;
};

export type Detection = {
  readonly framework: Framework | null;
  readonly service: DetectedService;
  /** What showed it, in sentences. */
  readonly reasons: readonly string[];
  /** What a person has to check or do, in sentences. */
  readonly hints: readonly string[];
};

/** A configuration file in the repository: what it says, or why it cannot be used. */
export type FoundConfiguration = { readonly rawConfig: unknown; readonly refusal: AppError | null };

/** A `flightcontrol.json` in the repository: what an import finds, or why it cannot be imported. */
export type FoundFlightcontrolFile =
  | { readonly imported: ImportedFile; readonly refusal: null }
  | { readonly imported: null; readonly refusal: AppError };

export type DetectedProject = Detection & {
  readonly commit: string;
  readonly configFile: FoundConfiguration | null;
  /** Null too if there is a configuration file. */
  readonly flightcontrolFile: FoundFlightcontrolFile | null;
};

export function siteOf(buildCommand: string | null, outputDirectory: string | null): DetectedService {
  return { type: "static", buildCommand, outputDirectory, startCommand: null, port: null };
}

export function serverOf(
  buildCommand: string | null,
  startCommand: string | null,
  port: number,
): DetectedService {
  return { type: "web", buildCommand, outputDirectory: null, startCommand, port };
}

/** The names of a folder's files. */
export function filesOf(entries: readonly FolderEntry[]): ReadonlySet<string> {
  return new Set(entries.filter(({ kind }) => kind === "file").map(({ name }) => name));
}
