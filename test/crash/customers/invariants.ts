/** Compares the answers that customers got with the API and with their cloud. */
import type { Project } from "../../helpers/customers/scenario.ts";
import { findBreachesOfChanges, type ProjectChanges } from "./changing-project.ts";
import type { PatientClient } from "./clients.ts";
import type { PlatformState } from "./deploying-customer.ts";
import type { ReceivedEvents } from "./received-events.ts";

export type WrittenValue = {
  readonly value: string | null;
  /** Since the last deletion. */
  readonly writes: number;
  /** By `performance.now()`; null before the first. */
  readonly deletedAtMs: number | null;
};

/** How many calls of an account a frozen process may have had on its way when a name was deleted. */
export type CountStragglers = (awsAccountId: string, deletedAtMs: number) => number;

export type KeptGroup = {
  readonly id: string;
  readonly domains: readonly string[];
  /** The share link that was not revoked. */
  readonly shareLinkId: string;
};

/** The required end, from all answers that one customer got. */
export type Expected = {
  readonly project: Project;
  /** Groups that were created and not deleted, with the names that they were left with. */
  readonly groups: Map<string, KeptGroup>;
  readonly deletedGroups: string[];
  /** Names of zones in which Slipway set records for deleted groups only. */
  readonly forgottenZones: string[];
  /** The newest acknowledged value by name and kind; null when its deletion was acknowledged. */
  readonly values: Map<string, WrittenValue>;
  /** Connections that were reported as CONNECTED. */
  readonly connections: string[];
  readonly deletedConnections: string[];
  readonly deletedProjects: string[];
  /** Of the project. */
  readonly changes: ProjectChanges;
  /** Runs of values that were acknowledged. */
  readonly runs: string[];
  /** Domains that were seen to redirect. */
  readonly redirected: string[];
};

/** The events that must have been emitted. */
export function toldOf(expected: Expected): readonly ReceivedEvents[] {
  const { project, connections, deletedConnections, deletedGroups, deletedProjects, changes, redirected } =
    expected;
  const links = { "domain_group.share_link_created": 2, "domain_group.share_link_revoked": 1 };
  return [
    ...[...connections, ...deletedConnections].map((subjectId) => ({
      subjectId,
      times: {
        "aws_account.created": 1,
        "aws_account.connected": 1,
        "aws_account.disconnected": 0,
        "aws_account.deleted": deletedConnections.includes(subjectId) ? 1 : 0,
      },
    })),
    ...deletedGroups.map((subjectId) => ({ subjectId, times: { "domain_group.deleted": 1, ...links } })),
    ...[...expected.groups.keys()].map((subjectId) => ({ subjectId, times: links })),
    ...redirected.map((subjectId) => ({
      subjectId,
      times: { "domain.redirect_changed": 1, "domain.redirect_served": 1 },
    })),
    ...deletedProjects.map((subjectId) => ({
      subjectId,
      times: { "project.created": 1, "project.deleted": 1 },
    })),
    {
      subjectId: project.projectId,
      times: { "project.created": 1, "project.changed": changes.names.length, "project.deleted": 0 },
    },
  ];
}

/** A customer's own account, as the sandbox shows it. */
export type SandboxAccount = {
  readonly serviceId: string;
  readonly certificates: readonly {
    readonly id: string;
    readonly names: readonly string[];
    readonly inUse: boolean;
  }[];
  readonly distributions: readonly {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly origin: { readonly kind: string; readonly directory?: string };
  }[];
  readonly parameters: readonly StoredValue[];
  readonly secrets: readonly StoredValue[];
  readonly services: PlatformState;
};
type StoredValue = { readonly name: string; readonly value: string; readonly versionCount: number };

/** Every breach at this moment; work that is still under way shows as breaches too, and passes. */
export async function findBreachesOf(
  client: PatientClient,
  expected: Expected,
  account: SandboxAccount,
  countStragglers: CountStragglers,
): Promise<readonly string[]> {
  return [
    ...(await checkGroups(client, expected, account)),
    ...checkValues(expected, account, countStragglers),
    ...(await checkListedVariables(client, expected)),
    ...(await checkConnections(client, expected)),
    ...(await checkZones(client, expected)),
    ...(await findBreachesOfChanges(client, expected.project.projectId, expected.changes, account)),
  ];
}

async function checkGroups(
  client: PatientClient,
  { project, groups, deletedGroups, changes }: Expected,
  account: SandboxAccount,
): Promise<string[]> {
  const breaches: string[] = [];
  const path = `/v1/services/${project.services["web"]}/domain-certificate-groups?limit=100`;
  const listed: { id: string; status: string }[] = (await client.read(path)).body.domainCertificateGroups;
  for (const { id, status } of listed) {
    if (!groups.has(id))
      breaches.push(`Group ${id} exists, though no customer received its id, or it was deleted.`);
    else if (status !== "ACTIVE") breaches.push(`Group ${id} is ${status}.`);
  }
  for (const id of deletedGroups) {
    if ((await client.read(`/v1/domain-certificate-groups/${id}`)).status !== 404)
      breaches.push(`Group ${id} came back.`);
  }
  for (const { id, domains, shareLinkId } of groups.values()) {
    const { shareLinks } = (await client.read(`/v1/domain-certificate-groups/${id}/share-links`)).body;
    const links = (shareLinks as readonly { readonly id: string }[]).map((link) => link.id).join();
    if (links !== shareLinkId)
      breaches.push(`Group ${id} has the share links ${links} instead of ${shareLinkId}.`);
    const answer = await client.read(`/v1/domain-certificate-groups/${id}/domains`);
    const seen = (answer.body.domains ?? []).map(
      ({ name, status }: { name: string; status: string }) => `${name} ${status}`,
    );
    const wanted = domains.map((name) => `${name} ATTACHED`);
    if (seen.toSorted().join() !== wanted.toSorted().join())
      breaches.push(`Group ${id} has ${seen.join(", ")} instead of ${wanted.join(", ")}.`);
    const serving = account.distributions.filter(
      ({ aliases }) => aliases.toSorted().join() === domains.toSorted().join(),
    );
    if (serving.length !== 1) breaches.push(`${serving.length} distributions serve exactly group ${id}.`);
    const covering = account.certificates.filter(({ names }) => domains.some((name) => names.includes(name)));
    if (covering.length !== 1) breaches.push(`${covering.length} certificates cover names of group ${id}.`);
  }
  // Each static service of the configuration has its default distribution.
  const wantedDistributions = groups.size + changes.directories.length;
  if (account.distributions.length !== wantedDistributions)
    breaches.push(
      `There are ${account.distributions.length} distributions for ${wantedDistributions} intents.`,
    );
  if (account.certificates.length !== groups.size)
    breaches.push(`There are ${account.certificates.length} certificates for ${groups.size} groups.`);
  for (const { id, inUse } of account.certificates)
    if (!inUse) breaches.push(`Certificate ${id} serves nothing.`);
  return breaches;
}

/**
 * A put that a frozen process had on its way when its name was deleted may arrive afterwards, for the store forgot
 * its token; the next write overwrites it, and the store counts one version more.
 */
function checkValues(
  { values }: Expected,
  account: SandboxAccount,
  countStragglers: CountStragglers,
): string[] {
  const breaches: string[] = [];
  const stored = [...account.parameters, ...account.secrets];
  for (const [name, { value, writes, deletedAtMs }] of values) {
    const stragglers = deletedAtMs === null ? 0 : countStragglers(account.serviceId, deletedAtMs);
    const found = stored.filter((one) => one.name.endsWith(`/${name}`));
    if (value === null) {
      if (found.length > 0) breaches.push(`${name} was deleted and is there.`);
      continue;
    }
    const [only] = found;
    if (only === undefined || found.length > 1) breaches.push(`${name} is there ${found.length} times.`);
    else if (only.value !== value) breaches.push(`${name} is ${only.value}, but the newest is ${value}.`);
    else if (only.versionCount > writes + stragglers)
      breaches.push(`${name} has ${only.versionCount} versions of ${writes} writes, ${stragglers} late.`);
  }
  const known = stored.filter(({ name }) => values.has(name.split("/").at(-1) ?? ""));
  if (known.length !== stored.length) breaches.push("There are values that no customer wrote.");
  return breaches;
}

async function checkZones(client: PatientClient, { forgottenZones }: Expected): Promise<string[]> {
  type Row = { readonly name: string; readonly type: string };
  const { records } = (await client.read("/sandbox/dns/records")).body;
  return (records as readonly Row[])
    .filter(({ name, type }) => type !== "NS" && forgottenZones.some((zone) => name.endsWith(zone)))
    .map(({ name, type }) => `The ${type} record of ${name} is left.`);
}

async function checkListedVariables(client: PatientClient, { project, values }: Expected): Promise<string[]> {
  const path = `/v1/services/${project.services["web"]}/env-variables?limit=100`;
  const listed: { name: string; status?: string }[] = (await client.read(path)).body.envVariables;
  const wanted = [...values].filter(([, { value }]) => value !== null).map(([name]) => name);
  const names = listed.map(({ name }) => name);
  return names.toSorted().join() === wanted.toSorted().join()
    ? []
    : [`The API lists ${names.join(", ")} instead of ${wanted.join(", ")}.`];
}

async function checkConnections(
  client: PatientClient,
  { connections, deletedConnections, deletedProjects }: Expected,
): Promise<string[]> {
  const breaches: string[] = [];
  for (const id of connections) {
    const { body } = await client.read(`/v1/aws-accounts/${id}`);
    if (body.status !== "CONNECTED") breaches.push(`Connection ${id} is ${body.status ?? "gone"}.`);
  }
  for (const id of deletedConnections) {
    const { status } = await client.read(`/v1/aws-accounts/${id}`);
    if (status !== 404) breaches.push(`Connection ${id} came back.`);
  }
  for (const id of deletedProjects) {
    const { status } = await client.read(`/v1/projects/${id}`);
    if (status !== 404) breaches.push(`Project ${id} came back.`);
  }
  return breaches;
}
