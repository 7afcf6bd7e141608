/** Finds the project, environment and service that a command is about: by flag, by link, or as the only one. */
import type { Environment, Project, Service } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import type { Input } from "../table/input.ts";
import { pick } from "./pick.ts";

export async function findProject(context: Context, named: string | undefined): Promise<Project> {
  const client = await context.client();
  const sought = named ?? (await context.link())?.projectId;
  if (sought?.startsWith("proj_") === true) return await client.projects.get(sought);
  return pick(await collect(client.projects.list({ limit: 100 })), sought, {
    noun: "project",
    flag: "--project",
    within: "",
    namesOf: ({ name }) => [name],
    idOf: ({ id }) => id,
  });
}

/** By `-p` and `-e`. */
export async function findEnvironment(context: Context, input: Input): Promise<Environment> {
  return await findEnvironmentNamed(context, input.text("environment"), input.text("project"));
}

export async function findEnvironmentNamed(
  context: Context,
  named: string | undefined,
  projectNamed: string | undefined,
): Promise<Environment> {
  const client = await context.client();
  const link = await context.link();
  const isOfLink = projectNamed === undefined || projectNamed === link?.projectId;
  const sought = named ?? (isOfLink ? link?.environmentId : undefined);
  if (sought?.startsWith("env_") === true) return await client.environments.get(sought);
  const project = await findProject(context, projectNamed);
  return pick(await collect(client.environments.list(project.id, { limit: 100 })), sought, {
    noun: "environment",
    flag: "--environment",
    within: `in project ${project.name}`,
    namesOf: ({ name, configId }) => [configId, name],
    idOf: ({ id }) => id,
  });
}

/** By `-p`, `-e` and `-s`. */
export async function findService(context: Context, input: Input): Promise<Service> {
  const client = await context.client();
  const link = await context.link();
  const isElsewhere = input.text("project") !== undefined || input.text("environment") !== undefined;
  const sought = input.text("service") ?? (isElsewhere ? undefined : link?.serviceId);
  if (sought?.startsWith("svc_") === true) return await client.services.get(sought);
  const environment = await findEnvironment(context, input);
  return pick(await collect(client.services.list(environment.id, { limit: 100 })), sought, {
    noun: "service",
    flag: "--service",
    within: `in environment ${environment.configId}`,
    namesOf: ({ name, configId }) => [configId, name],
    idOf: ({ id }) => id,
  });
}

export async function collect<T>(items: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    if (all.length >= most) break;
    all.push(item);
  }
  return all;
}
