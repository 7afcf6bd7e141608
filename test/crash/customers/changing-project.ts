/** A customer who changes its project, and the required end: each change complete, made once, and audited once. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { configOf } from "../../helpers/customers/deployments.ts";
import { CONFIG } from "../../helpers/customers/scenario.ts";
import type { PatientClient } from "./clients.ts";
import type { Random } from "../random.ts";

export type ProjectChanges = {
  /** The name that each acknowledged change gave the project, oldest first. No two are the same. */
  readonly names: string[];
  /** Of the newest; that the project was created with before the first. */
  config: object;
  /** Its static services, none of which was ever released. */
  directories: readonly string[];
};

/** Of a project with the usual configuration. */
export function noChanges(): ProjectChanges {
  return { names: [], config: CONFIG, directories: ["public"] };
}

/** What the distributions of an account show that do not belong to a group. */
type Account = {
  readonly distributions: readonly {
    readonly aliases: readonly string[];
    readonly origin: { readonly kind: string; readonly directory?: string };
  }[];
};

/** Name and configuration change together: a variable, a folder, and a service that comes or goes. */
export async function changeRound(
  client: PatientClient,
  projectId: string,
  changes: ProjectChanges,
  random: Random,
  round: number,
): Promise<void> {
  const path = `/v1/projects/${projectId}`;
  const name = `changed ${round}`;
  const directories = [`public-${round}`, ...(random.next() < 0.5 ? ["extra"] : [])];
  const services = directories.map((outputDirectory, index) => ({
    id: index === 0 ? "web" : "extra",
    type: "static",
    outputDirectory,
  }));
  const config = configOf(services, { envVariables: { ROUND: String(round) } });
  const planned = await client.write("POST", `${path}/plan`, { name: `planned ${round}`, config });
  assert.equal(planned.status, 200, JSON.stringify(planned.body));
  assert.equal(planned.body.isApplicable, true, JSON.stringify(planned.body));
  const changed = await client.write("PATCH", path, { name, config });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.equal(changed.body.name, name);
  changes.names.push(name);
  changes.config = config;
  changes.directories = directories;
}

/** Every breach at this moment. */
export async function findBreachesOfChanges(
  client: PatientClient,
  projectId: string,
  { names, config, directories }: ProjectChanges,
  account: Account,
): Promise<string[]> {
  const breaches: string[] = [];
  const project = (await client.read(`/v1/projects/${projectId}`)).body;
  const newest = names.at(-1);
  if (newest !== undefined && project.name !== newest)
    breaches.push(`Project ${projectId} is named ${project.name}, but the newest change was ${newest}.`);
  if (!isDeepStrictEqual(project.config, config))
    breaches.push(`Project ${projectId} has the configuration ${JSON.stringify(project.config)}.`);
  const audited = await listAuditedNames(client, projectId);
  if (audited.join() !== names.join())
    breaches.push(
      `Project ${projectId} has ${names.join(", ")} behind it; audited are ${audited.join(", ")}.`,
    );
  if (newest === undefined) return breaches;

  const [environment] = (await client.read(`/v1/projects/${projectId}/environments`)).body.environments;
  const { services } = (await client.read(`/v1/environments/${environment.id}/services`)).body;
  const applied = services.map((one: Service) => one.settings.outputDirectory);
  if (applied.toSorted().join() !== directories.toSorted().join())
    breaches.push(`Project ${projectId} has services of ${applied.join(", ")}.`);
  const { envVariables } = (await client.read(`/v1/environments/${environment.id}/env-variables`)).body;
  const [variable] = envVariables;
  if (envVariables.length !== 1 || variable.value !== newest.split(" ")[1])
    breaches.push(`Project ${projectId} has the variables ${JSON.stringify(envVariables)}.`);
  const shown = account.distributions.flatMap(({ aliases, origin }) =>
    aliases.length === 0 && origin.kind === "repository" ? [origin.directory ?? ""] : [],
  );
  if (shown.toSorted().join() !== directories.toSorted().join())
    breaches.push(`Project ${projectId} shows the folders ${shown.join(", ")}.`);
  return breaches;
}

type Service = { readonly settings: { readonly outputDirectory: string } };
type AuditEntry = {
  readonly action: string;
  readonly details: { readonly after: { readonly name: string } };
};

/** The names that changes gave a project, from its audit entries, oldest first. */
async function listAuditedNames(client: PatientClient, projectId: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = null; ;) {
    const more: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { body } = await client.read(`/v1/audit-entries?resourceId=${projectId}&limit=100${more}`);
    for (const { action, details } of body.auditEntries as AuditEntry[])
      if (action === "project.updated") names.push(details.after.name);
    cursor = body.nextCursor;
    if (cursor === null) return names;
  }
}
