import { type Static, Type } from "typebox";
import type { Fault } from "../../../lib/errors.ts";
import { At, Body, ShownAs, ONE_LINE_TEXT } from "../../../http/schemas.ts";
import type { ParseConfiguration } from "../../configuration/configuration.ts";
import { CONFIGURATION_SCHEMA } from "../../configuration/configuration-schema.ts";
import {
  findConfigTypeFaults,
  findConfigurationFaults,
  findFilePathFaults,
  PROJECT_FIELDS,
} from "../create/body.ts";
import type { Project } from "../../projects/project.ts";
import { findRepoUrlFaults } from "../../projects/repo-url-faults.ts";
import { ConfigTypeSchema } from "../../projects/views.ts";

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
    config: Type.Optional(
      ShownAs(
        At(
          Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object" }),
          "With `gui`: the whole new configuration.",
        ),
        CONFIGURATION_SCHEMA,
      ),
    ),
    configFilePath: Type.Optional(
      Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 1024,
        description: "With `iac`: path of the configuration file, relative to the repository's root.",
        examples: ["deploy/slipway.json"],
      }),
    ),
    configFileBranch: Type.Optional(
      Type.String({
        ...ONE_LINE_TEXT,
        maxLength: 255,
        description: "With `iac`: the branch that holds the file.",
        examples: ["main"],
      }),
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
