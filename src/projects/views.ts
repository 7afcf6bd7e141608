import { Type } from "typebox";
import { GIT_PROVIDERS } from "../git/git.ts";
import { Instant, Nullable, Words } from "../http/schemas.ts";
import { DEPLOY_TRIGGERS, type Environment, type Project, SERVICE_TYPES, type Service } from "./project.ts";

export const ProjectSchema = Type.Object(
  {
    id: Type.String(),
    organizationId: Type.String(),
    name: Type.String(),
    repoUrl: Type.String(),
    awsAccountId: Type.String(),
    codeSource: Type.Object({ provider: Words(GIT_PROVIDERS), host: Nullable(Type.String()) }),
    configType: Words(["gui", "iac"]),
    configFilePath: Nullable(Type.String()),
    configFileBranch: Nullable(Type.String()),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "A repository that is deployed to one cloud account." },
);

export function viewProject(project: Project) {
  const { id, organizationId, name, awsAccountId, provider, host, configType } = project;
  return {
    id,
    organizationId,
    name,
    repoUrl: project.repoUrl,
    awsAccountId,
    codeSource: { provider, host },
    configType,
    configFilePath: project.configFilePath,
    configFileBranch: project.configFileBranch,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}

export const EnvironmentSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    configId: Type.String({ description: "The id that the configuration gives it." }),
    name: Type.String(),
    region: Type.String(),
    source: Type.Object({ branch: Type.String(), trigger: Words(DEPLOY_TRIGGERS) }),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "One deployment target of a project." },
);

export function viewEnvironment(environment: Environment) {
  const { id, projectId, configId, name, region, branch, deployTrigger } = environment;
  return {
    id,
    projectId,
    configId,
    name,
    region,
    source: { branch, trigger: deployTrigger },
    createdAt: environment.createdAt.toISOString(),
    updatedAt: environment.updatedAt.toISOString(),
  };
}

export const ServiceSchema = Type.Object(
  {
    id: Type.String(),
    projectId: Type.String(),
    environmentId: Type.String(),
    configId: Type.String({ description: "The id that the configuration gives it." }),
    name: Type.String(),
    type: Words(SERVICE_TYPES),
    settings: Type.Unsafe<Service["settings"]>({
      type: "object",
      additionalProperties: true,
      description: "The fields of the configuration that belong to the type, and `dependsOn`.",
    }),
    cdnDomainName: Nullable(
      Type.String({
        description: "The host of its default distribution; null until that is made, and for a worker.",
      }),
    ),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "One part of an environment." },
);

/** `cdnDomainName` is the host of the service's default distribution. */
export function viewService(service: Service, cdnDomainName: string | null) {
  const { id, projectId, environmentId, configId, name, type, settings } = service;
  return {
    id,
    projectId,
    environmentId,
    configId,
    name,
    type,
    settings,
    cdnDomainName,
    createdAt: service.createdAt.toISOString(),
    updatedAt: service.updatedAt.toISOString(),
  };
}
