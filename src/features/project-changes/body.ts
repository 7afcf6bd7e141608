import { type Static, Type } from "typebox";
import { COMMON_FAULTS, type Fault, faultAt } from "../../lib/errors.ts";
import type { GitProvider } from "../../git/git.ts";
import { isTreePath } from "../../git/git.ts";
import { findHostFaults, PROVIDER_FIELDS } from "../git-integrations/provider-host.ts";
import { At, Body, ShownAs, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { ConfigurationError, type ParseConfiguration } from "../configuration/configuration.ts";
import { CONFIGURATION_SCHEMA } from "../configuration/configuration-schema.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import { ConfigTypeSchema } from "../projects/views.ts";
import type { Project } from "../projects/project.ts";

/** Fields for both creating and changing a project. */
export const PROJECT_FIELDS = {
  name: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 200,
    description: "Display name.",
    examples: ["Shop"],
  }),
  repoUrl: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "Git repository URL.",
    examples: ["https://github.com/acme/shop"],
  }),
  config: At(
    ShownAs(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object" }), CONFIGURATION_SCHEMA),
    "Required with `gui`, refused otherwise. Its JSON Schema is at /schema.json.",
  ),
  configFilePath: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 1024,
    description:
      "Required with `iac`, refused otherwise. Path of the file, relative to the repository's root.",
    examples: ["slipway.json"],
  }),
  configFileBranch: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 255,
    description: "Required with `iac`, refused otherwise. Branch that holds the file.",
    examples: ["main"],
  }),
};

/**
 * The body that creates a project (specification, "Projects"). `findNewProjectFaults` checks what its schema cannot.
 */
export const NewProjectBody = Body(
  {
    name: PROJECT_FIELDS.name,
    repoUrl: PROJECT_FIELDS.repoUrl,
    awsAccountId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "`id` or `givenId` of a connected cloud account connection.",
      examples: ["acme-production"],
    }),
    codeSource: Body(PROVIDER_FIELDS, {
      title: "NewCodeSource",
      description: "The location of the repository.",
      examples: [{ provider: "provider_a" }],
    }),
    configType: ConfigTypeSchema,
    config: Type.Optional(PROJECT_FIELDS.config),
    configFilePath: Type.Optional(PROJECT_FIELDS.configFilePath),
    configFileBranch: Type.Optional(PROJECT_FIELDS.configFileBranch),
  },
  {
    examples: [
      {
        name: "Shop",
        repoUrl: "https://github.com/acme/shop",
        awsAccountId: "acme-production",
        codeSource: { provider: "provider_a" },
        configType: "iac",
        configFilePath: "slipway.json",
        configFileBranch: "main",
      },
    ],
  },
);

export type NewProject = Static<typeof NewProjectBody>;
export type CodeSource = { readonly provider: GitProvider; readonly host: string | null };

/** Faults that the body's schema cannot express, for a body of any shape. */
export function findNewProjectFaults(
  body: unknown,
  parseConfiguration: ParseConfiguration,
): readonly Fault[] {
  if (typeof body !== "object" || body === null) return [];
  const fields = body as { readonly [Name in keyof NewProject]?: unknown };
  return [
    ...findHostFaults(fields.codeSource, "/codeSource"),
    ...findRepoUrlFaults(fields.repoUrl),
    ...findConfigFaults(fields, parseConfiguration),
  ];
}

const CONFIG_FIELDS = {
  gui: { needed: ["config"], foreign: ["configFilePath", "configFileBranch"], other: "iac" },
  iac: { needed: ["configFilePath", "configFileBranch"], foreign: ["config"], other: "gui" },
} as const;

type ConfigFields = { readonly [Name in "config" | "configFilePath" | "configFileBranch"]?: unknown };

/** Which fields each type of configuration requires, and which it does not take. */
export function findConfigTypeFaults(
  configType: "gui" | "iac",
  fields: ConfigFields,
  needs: "all" | "none",
): readonly Fault[] {
  const { needed, foreign, other } = CONFIG_FIELDS[configType];
  const missing = needs === "all" ? needed.filter((name) => fields[name] === undefined) : [];
  const refused = foreign.filter((name) => fields[name] !== undefined);
  return [
    ...missing.map((name) =>
      faultAt(`/${name}`, COMMON_FAULTS.REQUIRED, `is required with configType ${configType}`),
    ),
    ...refused.map((name) =>
      faultAt(`/${name}`, COMMON_FAULTS.UNKNOWN_FIELD, `is only for configType ${other}; remove it`),
    ),
  ];
}

function findConfigFaults(
  fields: { readonly [Name in keyof NewProject]?: unknown },
  parseConfiguration: ParseConfiguration,
): readonly Fault[] {
  const { configType } = fields;
  if (configType !== "gui" && configType !== "iac") return [];
  const faults = findConfigTypeFaults(configType, fields, "all");
  if (configType === "gui") return [...faults, ...findConfigurationFaults(fields.config, parseConfiguration)];
  return [...faults, ...findFilePathFaults(fields.configFilePath)];
}

/** For any value of `configFilePath`. */
export function findFilePathFaults(configFilePath: unknown): readonly Fault[] {
  if (typeof configFilePath !== "string" || configFilePath === "" || isTreePath(configFilePath)) return [];
  const message =
    "must be a path relative to the repository's root, such as deploy/slipway.json: no leading /, no . or ..";
  return [faultAt("/configFilePath", COMMON_FAULTS.WRONG_FORM, message)];
}

/** For any value of `config`. */
export function findConfigurationFaults(
  config: unknown,
  parseConfiguration: ParseConfiguration,
): readonly Fault[] {
  // The body's own schema refuses any type but object.
  if (typeof config !== "object" || config === null || Array.isArray(config)) return [];
  try {
    parseConfiguration(config);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((fault) => ({ ...fault, path: `/config${fault.path}` }));
  }
}

/** The body that changes a project. Fields that are left out stay as they are. */
export const ProjectChangeBody = Body(
  {
    name: Type.Optional(PROJECT_FIELDS.name),
    repoUrl: Type.Optional(
      At(PROJECT_FIELDS.repoUrl, "The new address of the repository, at the same provider and host."),
    ),
    configType: Type.Optional(
      At(ConfigTypeSchema, "Moves the configuration from `config` to a file in the repository, or back."),
    ),
    config: Type.Optional(At(PROJECT_FIELDS.config, "With `gui`: the whole new configuration.")),
    configFilePath: Type.Optional(
      At(
        PROJECT_FIELDS.configFilePath,
        "With `iac`: path of the configuration file, relative to the repository's root.",
        "deploy/slipway.json",
      ),
    ),
    configFileBranch: Type.Optional(
      At(PROJECT_FIELDS.configFileBranch, "With `iac`: the branch that holds the file."),
    ),
  },
  {
    title: "ProjectChange",
    description: "The fields of a project to change. Omitted fields stay as they are.",
    examples: [{ name: "Shop", configFilePath: "deploy/slipway.json" }],
  },
);

export type ProjectChange = Static<typeof ProjectChangeBody>;

/** Faults that the body's schema cannot express and that do not depend on the project, for a body of any shape. */
export function findProjectChangeFaults(
  body: unknown,
  parseConfiguration: ParseConfiguration,
): readonly Fault[] {
  if (typeof body !== "object" || body === null) return [];
  const fields = body as { readonly [Name in keyof ProjectChange]?: unknown };
  return [
    ...findRepoUrlFaults(fields.repoUrl),
    ...findConfigurationFaults(fields.config, parseConfiguration),
    ...findFilePathFaults(fields.configFilePath),
  ];
}

/** Faults that depend on the type of configuration that the project has, or gets. Pure. */
export function findConfigTypeChangeFaults(project: Project, change: ProjectChange): readonly Fault[] {
  const configType = change.configType ?? project.configType;
  return findConfigTypeFaults(configType, change, configType === project.configType ? "none" : "all");
}
