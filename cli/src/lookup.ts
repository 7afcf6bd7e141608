/** Finds what a command is about: by argument or flag, by the link of the folder, or as the only one. */
import type { Domain, Environment, Project, Service, ServiceType, User } from "../../sdk/src/index.ts";
import type { Input } from "./command.ts";
import type { Context } from "./context.ts";
import { CommandError, EXIT, notFound, UsageError } from "./failure.ts";

/** The types of services that take domains. */
export const WITH_DOMAINS: readonly ServiceType[] = ["static", "web", "external"];

/** The API's largest page. */
export const PAGE = 100;

export async function findProject({ client, link }: Context, named: string | undefined): Promise<Project> {
  const sought = named ?? link?.projectId;
  if (sought?.startsWith("proj_") === true) return await client.projects.get(sought);
  return pick(await collect(client.projects.list({ limit: PAGE })), sought, "project", "");
}

/** The id of the project by `-p`; undefined for all. The link of the folder does not count. */
export async function findNamedProject(context: Context, input: Input): Promise<string | undefined> {
  const named = input.text("project");
  return named === undefined ? undefined : (await findProject(context, named)).id;
}

/** Several projects by `-p`; undefined for all. */
export async function findProjects(context: Context, input: Input): Promise<string[] | undefined> {
  const named = input.many("project");
  const found = await Promise.all(named.map((one) => findProject(context, one)));
  return found.length === 0 ? undefined : found.map(({ id }) => id);
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
  const { client, link } = context;
  const isOfLink = projectNamed === undefined || projectNamed === link?.projectId;
  const sought = named ?? (isOfLink ? link?.environmentId : undefined);
  if (sought?.startsWith("env_") === true) return await client.environments.get(sought);
  const project = await findProject(context, projectNamed);
  const all = await collect(client.environments.list(project.id, { limit: PAGE }));
  // A command that needs no -e must not need one because a pull request was opened.
  const ordinary = all.filter(({ isTemplate, templateId }) => !isTemplate && templateId === null);
  const candidates = sought === undefined && ordinary.length > 0 ? ordinary : all;
  return pick(candidates, sought, "environment", `in project ${project.name}`);
}

/**
 * By `-p`, `-e`, and `-s` or what was named otherwise.
 * @param types of the services among which the only one needs no name
 */
export async function findService(
  context: Context,
  input: Input,
  named = input.text("service"),
  types?: readonly ServiceType[],
): Promise<Service> {
  const { client, link } = context;
  const isElsewhere = input.text("project") !== undefined || input.text("environment") !== undefined;
  const sought = named ?? (isElsewhere ? undefined : link?.serviceId);
  if (sought?.startsWith("svc_") === true) return await client.services.get(sought);
  return await findServiceIn(context, await findEnvironment(context, input), sought, types);
}

export async function findServiceIn(
  { client }: Context,
  { id, configId }: Environment,
  named: string | undefined,
  types?: readonly ServiceType[],
): Promise<Service> {
  const all = await collect(client.services.list(id, { limit: PAGE }));
  const isOffered = ({ type }: Service): boolean => named !== undefined || types?.includes(type) !== false;
  return pick(all.filter(isOffered), named, "service", `in environment ${configId}`);
}

/** The narrowest of `-s`, `-e` and `-p`; empty without any. */
export async function findScope(
  context: Context,
  input: Input,
): Promise<{ serviceId?: string; environmentId?: string; projectId?: string }> {
  if (input.text("service") !== undefined) return { serviceId: (await findService(context, input)).id };
  if (input.text("environment") !== undefined)
    return { environmentId: (await findEnvironment(context, input)).id };
  const projectId = await findNamedProject(context, input);
  return projectId === undefined ? {} : { projectId };
}

/** By id or name. One name belongs to one domain of an organization. */
export async function findDomain({ client }: Context, named: string): Promise<Domain> {
  if (named.startsWith("dom_")) return await client.domains.get(named);
  // `*.example.com` would also find the names below it, of which the wildcard is one.
  for await (const domain of client.domains.list({ name: named }))
    if (!named.startsWith("*.") || domain.name === named.toLowerCase()) return domain;
  throw notFound(`There is no domain ${named}.`, "slipway domains list shows all.");
}

/** A user by id, by address, or a service account by its name. */
export async function findUser({ client }: Context, named: string): Promise<User> {
  if (named.startsWith("user_")) return await client.users.get(named);
  const all = await collect(client.users.list({ limit: PAGE }));
  const found = all.map((user) => ({ id: user.id, name: userName(user), user }));
  return pick(found, named, "user", "").user;
}

export const userName = ({ email, name }: User): string => email ?? name;

type Named = { readonly id: string; readonly name?: string; readonly configId?: string };

/**
 * The item with this name or id; without a name, the only item.
 * @param where it was sought, for messages: `in project Shop`; empty for all
 * @param flag that names it
 * @throws UsageError if it has to be named, CommandError if none has the name, or several have
 */
export function pick<T extends Named>(
  all: readonly T[],
  named: string | undefined,
  noun: string,
  where: string,
  flag = `--${noun}`,
): T {
  const place = where === "" ? "" : ` ${where}`;
  const list = (some: readonly T[]): string =>
    some.map(({ id, name, configId }) => `${configId ?? name ?? ""} (${id})`).join(", ");
  if (named === undefined) {
    const [only, ...more] = all;
    if (only === undefined) throw notFound(`There is no ${noun}${place}.`);
    if (more.length === 0) return only;
    throw new UsageError(`Which ${noun}${place}? Give ${flag}.`, `There are ${list(all)}.`);
  }
  const found = all.filter(({ id, name, configId }) => [id, name, configId].includes(named));
  const [first, ...others] = found;
  if (first === undefined)
    throw notFound(
      `There is no ${noun} ${named}${place}.`,
      all.length === 0 ? null : `There ${all.length === 1 ? "is" : "are"} ${list(all.slice(0, 20))}.`,
    );
  if (others.length === 0) return first;
  throw new CommandError(`Several ${noun}s are called ${named}${place}. Give the id.`, {
    code: "AMBIGUOUS",
    exitCode: EXIT.USAGE,
    hint: `There are ${list(found)}.`,
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
