import { Type } from "typebox";
import type { Branch } from "../../git/git.ts";
import { Flag, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { ConfigurationFaultSchema } from "../deployments/views.ts";
import { FlightcontrolImportSchema, viewImport } from "../flightcontrol-import/views.ts";
import { CONFIG_FILE, type DetectedProject, FLIGHTCONTROL_FILE, FRAMEWORK_IDS } from "./detection.ts";
import { DEFAULT_REGION, proposeConfiguration } from "./propose-configuration.ts";

const HASH = "4f1c2b7d9e0a3586c1d4e7f2a9b8c0d3e6f5a412";

const GitBranchSchema = Type.Object(
  {
    name: Text("Its name.", "main"),
    commitHash: Text("Its newest commit.", HASH),
  },
  { title: "GitBranch", description: "A branch of a repository." },
);

export const GitBranchesSchema = Type.Object(
  {
    branches: Type.Array(GitBranchSchema, {
      description: "At most 100, by name; `main` and `master` first.",
    }),
    hasMore: Flag("Whether there are more: use `search`.", false),
  },
  { title: "GitBranches", description: "The branches of a repository." },
);

const ConfigurationSchema = (description: string, example: unknown) =>
  Nullable(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      additionalProperties: true,
      description,
      examples: [example],
    }),
  );

const EXAMPLE_SERVICE = {
  type: "static",
  buildCommand: "npm ci && npm run build",
  outputDirectory: "dist",
  startCommand: null,
  port: null,
} as const;

export const FrameworkDetectionSchema = Type.Object(
  {
    commitHash: Text("The commit that was read.", HASH),
    framework: Nullable(
      Type.Object(
        {
          id: Words(FRAMEWORK_IDS, {
            title: "FrameworkId",
            description: "For programs. There may be more of them later.",
            examples: ["vite"],
          }),
          name: Text("For people.", "Vite"),
        },
        { title: "Framework", description: "The framework; null if none was recognized." },
      ),
    ),
    service: Type.Object(
      {
        type: Words(["static", "web"], {
          title: "DetectedServiceType",
          description: "`static`: files. `web`: a server.",
          examples: ["static"],
        }),
        buildCommand: Nullable(
          Text("The build command; null if it needs no build.", "npm ci && npm run build"),
        ),
        outputDirectory: Nullable(Text("Of `static`: the folder with the files.", "dist")),
        startCommand: Nullable(Text("Of `web`: the command that starts it.", null)),
        port: Nullable(Type.Integer({ description: "Of `web`: where it listens.", examples: [null] })),
      },
      {
        title: "DetectedService",
        description:
          "The settings of a service that fit. A field is null if it is not known or not of the type.",
      },
    ),
    reasons: Type.Array(Text("A sentence.", "package.json depends on vite."), {
      description: "What showed it.",
    }),
    hints: Type.Array(Text("A sentence.", "Check the output folder: angular.json names it."), {
      description: "What a person has to check or do.",
      examples: [[]],
    }),
    config: ConfigurationSchema(
      "A configuration with that service, as `config` of a project takes it; null while a required setting is unknown.",
      proposeConfiguration(EXAMPLE_SERVICE, { branch: "main", region: DEFAULT_REGION }),
    ),
    configFile: Nullable(
      Type.Object(
        {
          path: Text("Its path in the repository.", "slipway.json"),
          isValid: Flag("Whether a project can be created with it.", true),
          problem: Nullable(Text("Why not, in a sentence.", null)),
          faults: Type.Array(ConfigurationFaultSchema, {
            description: "Every fault of a file that is JSON.",
            examples: [[]],
          }),
          config: ConfigurationSchema("What it says; null if it is not a JSON object.", null),
        },
        {
          title: "FoundConfigurationFile",
          description: "The `slipway.json` in the root of the branch; null if there is none.",
        },
      ),
    ),
    flightcontrolFile: Nullable(
      Type.Object(
        {
          path: Text("Its path in the repository.", "flightcontrol.json"),
          problem: Nullable(Text("Why it cannot be imported, in a sentence.", null)),
          faults: Type.Array(ConfigurationFaultSchema, {
            description: "Every fault of a file that is JSON.",
            examples: [[]],
          }),
          imported: Nullable(FlightcontrolImportSchema),
        },
        {
          title: "FoundFlightcontrolFile",
          description:
            "The `flightcontrol.json` in the root of the branch, and what an import proposes; null if there is none, or a `slipway.json`.",
        },
      ),
    ),
  },
  { title: "FrameworkDetection", description: "What the root of a branch shows." },
);

export function viewDetection(
  detected: DetectedProject,
  at: { readonly branch: string; readonly region: string },
) {
  const { configFile, flightcontrolFile } = detected;
  return viewAs(FrameworkDetectionSchema, {
    ...detected,
    commitHash: detected.commit,
    config: proposeConfiguration(detected.service, at),
    configFile:
      configFile === null
        ? null
        : {
            path: CONFIG_FILE,
            isValid: configFile.refusal === null,
            problem: configFile.refusal?.message ?? null,
            faults: configFile.refusal?.faults ?? [],
            config: isObject(configFile.rawConfig) ? configFile.rawConfig : null,
          },
    flightcontrolFile:
      flightcontrolFile === null
        ? null
        : {
            path: FLIGHTCONTROL_FILE,
            problem: flightcontrolFile.refusal?.message ?? null,
            faults: flightcontrolFile.refusal?.faults ?? [],
            imported: flightcontrolFile.imported === null ? null : viewImport(flightcontrolFile.imported),
          },
  });
}

export function viewGitBranches({
  branches,
  hasMore,
}: {
  readonly branches: readonly Branch[];
  readonly hasMore: boolean;
}) {
  return { branches: branches.map(({ name, commit }) => ({ name, commitHash: commit })), hasMore };
}
