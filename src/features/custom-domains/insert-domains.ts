import type { Origin } from "../../cloud/cloud.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import { sees } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { type Service, isPublic } from "../projects/project.ts";
import { getProject, getService, originOf } from "../projects/queries.ts";
import type { Domain } from "./custom-domain.ts";
import { CUSTOM_DOMAIN_ERRORS } from "./errors.ts";
import type { NamedDomain } from "./domain-name.ts";
import { domains } from "./store.ts";

/** A deletion takes about as long as the provider needs to change a distribution. */
export const DELETION_RETRY_SECONDS = 10;

/**
 * A service that can have domains now, where its distributions lead, and in which account they are.
 * @param isForPreviews whether the domain is the one below which previews are
 * @throws AppError `NOT_FOUND`, `SERVICE_TAKES_NO_DOMAINS`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function getUsableService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
  isForPreviews = false,
): Promise<{ readonly service: Service; readonly awsAccountId: string; readonly origin: Origin }> {
  const service = await getService(sql, organizationId, serviceId);
  if (!isPublic(service.type)) {
    throw new AppError(
      CUSTOM_DOMAIN_ERRORS.SERVICE_TAKES_NO_DOMAINS,
      service.type === "web-private"
        ? `The service "${service.name}" is private: only services of its environment reach it. Choose another service, or replace it by a web service with another id.`
        : `The service "${service.name}" is of the type ${service.type} and serves no HTTP. Choose a static, web or external service.`,
    );
  }
  if (!isForPreviews) requireNoPreviews(service);
  const project = await getProject(sql, organizationId, service.projectId);
  const [account, origin] = await Promise.all([
    getAwsAccount(sql, organizationId, project.awsAccountId),
    originOf(sql, project, service),
  ]);
  requireConnected(account);
  return { service, awsAccountId: project.awsAccountId, origin };
}

/** Names of previews follow from the configuration. @throws AppError `SERVICE_TAKES_NO_DOMAINS` */
export function requireNoPreviews({ name, type, previewHost }: Service): void {
  if (type !== "previews" && previewHost === null) return;
  throw new AppError(
    CUSTOM_DOMAIN_ERRORS.SERVICE_TAKES_NO_DOMAINS,
    type === "previews"
      ? `The service "${name}" has the domain of previews only. Change source.previews.domain in the configuration.`
      : `The service "${name}" of a preview has the name ${previewHost ?? ""}. Choose a service of another environment.`,
  );
}

/** A domain that a group shall have. */
export type PlacedDomain = NamedDomain & Pick<Domain, "groupId">;

/** Adds domains to groups. @throws AppError `DOMAIN_TAKEN` */
export async function insertDomains(
  tx: Transaction,
  actor: Actor,
  names: readonly PlacedDomain[],
): Promise<readonly Domain[]> {
  const { organizationId } = actor;
  const given = names.map(({ groupId, name, type }) => ({
    groupId,
    id: newId("dom"),
    svcAttachmentId: newId("att"),
    name,
    type,
  }));
  const created = new Map(
    (await domains.insert(tx, organizationId, given)).map((domain) => [domain.name, domain]),
  );
  const refused = names.filter(({ name }) => !created.has(name)).map(({ name }) => name);
  if (refused.length > 0) throw domainTaken(await findTaken(tx, actor, refused));
  return names.flatMap(({ name }) => created.get(name) ?? []);
}

/** `groupId` is null if the caller does not see the group, or if the domain was deleted in this moment. */
type Taken = { readonly name: string; readonly groupId: string | null; readonly isDesired: boolean };

async function findTaken(tx: Transaction, actor: Actor, names: readonly string[]): Promise<readonly Taken[]> {
  const taken = await domains.findTaken(tx, actor.organizationId, names);
  if (taken.length === 0) return names.map((name) => ({ name, groupId: null, isDesired: true }));
  return taken.map(({ name, groupId, projectId, isDesired }) => ({
    name,
    groupId: sees(actor, projectId) ? groupId : null,
    isDesired,
  }));
}

function domainTaken(taken: readonly Taken[]): AppError {
  const list = (some: readonly Taken[]) =>
    some.map(({ name, groupId }) => (groupId === null ? name : `${name} (in group ${groupId})`)).join(", ");
  const kept = taken.filter(({ isDesired }) => isDesired);
  const leaving = taken.filter(({ isDesired }) => !isDesired);
  const said = [
    ...(kept.length === 0
      ? []
      : [
          `A domain can be in only one group of an organization. Taken: ${list(kept)}. Delete each from its group, or leave it out. An admin sees all groups.`,
        ]),
    ...(leaving.length === 0
      ? []
      : [`Being deleted: ${list(leaving)}. Wait until it is deleted, then send this again.`]),
  ];
  const options = kept.length === 0 ? { retryAfterSeconds: DELETION_RETRY_SECONDS } : {};
  return new AppError(CUSTOM_DOMAIN_ERRORS.DOMAIN_TAKEN, said.join(" "), options);
}
