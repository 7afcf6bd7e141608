import { type Static, Type } from "typebox";
import type { Fault } from "../errors.ts";
import { GIT_PROVIDERS, type GitProvider } from "../git/git.ts";
import { isTreePath } from "../git/tree-path.ts";
import { findHostFaults } from "../git-integrations/provider-host.ts";
import { Body, Words } from "../http/schemas.ts";
import { ConfigurationError, type ParseConfiguration } from "./configuration.ts";
import { findRepoUrlFaults } from "./repo-url-faults.ts";

/** The body that creates a project (specification, "Projects"). Its conditions are in `findNewProjectFaults`. */
export const NewProjectBody = Body({
  name: Type.String({ minLength: 1, maxLength: 200, description: "Shown in the dashboard." }),
  repoUrl: Type.String({ minLength: 1, maxLength: 2048, description: "Git repository URL." }),
  awsAccountId: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "`id` or `givenId` of a connected cloud account connection.",
  }),
  codeSource: Body({
    provider: Words(GIT_PROVIDERS, {
      description: "`provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`.",
    }),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 260,
        description: "Required with `provider_b_self_hosted`, refused otherwise.",
      }),
    ),
  }),
  configType: Words(["gui", "iac"], {
    description: "`gui`: the configuration is in `config`. `iac`: it is a file in the repository.",
  }),
  config: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: "object",
      description: "Required with `gui`, refused otherwise. Its JSON Schema is at /schema.json.",
    }),
  ),
  configFilePath: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: "Required with `iac`, refused otherwise. Path of the file, from the repository's root.",
    }),
  ),
  configFileBranch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Required with `iac`, refused otherwise. Branch that holds the file.",
    }),
  ),
});

export type NewProject = Static<typeof NewProjectBody>;
export type CodeSource = { readonly provider: GitProvider; readonly host: string | null };

/** What the schema of the body does not say, for a body of any shape. */
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

function findConfigFaults(
  fields: { readonly [Name in keyof NewProject]?: unknown },
  parseConfiguration: ParseConfiguration,
): readonly Fault[] {
  const { configType, config, configFilePath } = fields;
  if (configType !== "gui" && configType !== "iac") return [];
  const { needed, foreign, other } = CONFIG_FIELDS[configType];
  const faults: Fault[] = [];
  for (const name of needed) {
    if (fields[name] !== undefined) continue;
    faults.push({ path: `/${name}`, code: "REQUIRED", message: `is required with configType ${configType}` });
  }
  for (const name of foreign) {
    if (fields[name] === undefined) continue;
    faults.push({
      path: `/${name}`,
      code: "UNKNOWN_FIELD",
      message: `belongs to configType ${other} alone; remove it`,
    });
  }
  if (configType === "gui") {
    // Of another type than object, it is the body's own schema that refuses it.
    if (typeof config !== "object" || config === null || Array.isArray(config)) return faults;
    return [...faults, ...findConfigurationFaults(config, parseConfiguration)];
  }
  if (typeof configFilePath === "string" && configFilePath !== "" && !isTreePath(configFilePath)) {
    faults.push({
      path: "/configFilePath",
      code: "WRONG_FORM",
      message:
        "must be a path from the repository's root, such as deploy/slipway.json: no leading /, no . or ..",
    });
  }
  return faults;
}

function findConfigurationFaults(config: object, parseConfiguration: ParseConfiguration): readonly Fault[] {
  try {
    parseConfiguration(config);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((fault) => ({ ...fault, path: `/config${fault.path}` }));
  }
}
