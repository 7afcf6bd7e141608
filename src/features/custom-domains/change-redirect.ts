import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { REDIRECTS_MAX_BYTES, writeRedirects } from "../../cloud/redirects.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, type Fault, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Domain, Group } from "./custom-domain.ts";
import { redirectChangedEvent } from "./domain-events.ts";
import { CUSTOM_DOMAIN_ERRORS, CUSTOM_DOMAIN_FAULTS } from "./errors.ts";
import { redirects } from "./reconcile/redirect-store.ts";
import { DELETION_RETRY_SECONDS } from "./insert-domains.ts";
import { getDomain } from "./queries.ts";
import { domains, groups } from "./store.ts";

/**
 * Lets a domain redirect to another one of its group, or no longer.
 * @param redirectTo a name in its stored form; null ends it
 * @throws AppError `NOT_FOUND`, `DOMAIN_DELETING`, `INVALID_REQUEST`, `TOO_MANY_REDIRECTS`
 */
export async function changeRedirect(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  domainId: string,
  redirectTo: string | null,
): Promise<Domain> {
  const { organizationId } = actor;
  const { groupId } = await getDomain(tx, organizationId, domainId);
  const group = orNotFound(await groups.lock(tx, organizationId, groupId));
  const members = await domains.listAll(tx, organizationId, groupId);
  const domain = members.find(({ id }) => id === domainId);
  if (domain === undefined) throw notFound();
  if (!domain.isDesired || group.isDeleting)
    throw new AppError(CUSTOM_DOMAIN_ERRORS.DOMAIN_DELETING, `${domain.name} is being deleted.`, {
      retryAfterSeconds: DELETION_RETRY_SECONDS,
    });
  if (domain.redirectTo === redirectTo) return domain;
  if (redirectTo !== null) requirePossible(domain, redirectTo, members);
  const changed = { ...domain, redirectTo, isRedirectLive: false, redirectProblem: null };
  redirects.set(tx, domain, redirectTo);
  emit(tx, actor, [redirectChangedEvent(group.serviceId, changed, domain)]);
  await jobs.enqueue(tx, "domain-certificate-group", { organizationId, id: groupId });
  announceChange(tx, domainId);
  recordAudit(tx, actor, "domain.updated", domainId, {
    before: { redirectTo: domain.redirectTo ?? "" },
    after: { redirectTo: redirectTo ?? "" },
  });
  return changed;
}

/** @throws AppError `REDIRECT_TARGET` if others redirect to it */
export async function requireNoneLeadsTo(tx: Transaction, group: Group, { name }: Domain): Promise<void> {
  const leading = await redirects.listLeadingTo(tx, group, name);
  if (leading.length === 0) return;
  throw new AppError(
    CUSTOM_DOMAIN_ERRORS.REDIRECT_TARGET,
    `${leading.join(", ")} ${leading.length === 1 ? "redirects" : "redirect"} to ${name}. End these redirects first, with redirectTo: null.`,
  );
}

function requirePossible(domain: Domain, redirectTo: string, members: readonly Domain[]): void {
  const fault = findFault(domain, redirectTo, members);
  if (fault !== null) throw invalidRequest([{ path: "/redirectTo", ...fault }]);
  const all = [...members.filter(({ id }) => id !== domain.id), { ...domain, redirectTo }];
  const map = Object.fromEntries(
    all.flatMap((one) => (one.redirectTo === null ? [] : [[one.name, one.redirectTo]])),
  );
  if (Buffer.byteLength(writeRedirects(map)) <= REDIRECTS_MAX_BYTES) return;
  throw new AppError(
    CUSTOM_DOMAIN_ERRORS.TOO_MANY_REDIRECTS,
    `The redirects of this group would have more than ${REDIRECTS_MAX_BYTES} bytes. Move some of its domains to another group.`,
  );
}

/** A redirect is one step long and leads to a name that this group serves, so there is no loop. */
function findFault(
  { id, name, type }: Domain,
  redirectTo: string,
  members: readonly Domain[],
): Omit<Fault, "path"> | null {
  const target = members.find((member) => member.name === redirectTo);
  if (type === "WILDCARD" || redirectTo.startsWith("*."))
    return {
      code: CUSTOM_DOMAIN_FAULTS.REDIRECT_WILDCARD.code,
      message: "would redirect from or to a wildcard, which is not a single name",
    };
  if (target === undefined || !target.isDesired)
    return {
      code: CUSTOM_DOMAIN_FAULTS.NOT_IN_GROUP.code,
      message: `is not a domain of the group of ${name}`,
    };
  if (target.id === id)
    return { code: CUSTOM_DOMAIN_FAULTS.REDIRECT_TO_ITSELF.code, message: "is the domain itself" };
  if (target.redirectTo !== null)
    return {
      code: CUSTOM_DOMAIN_FAULTS.REDIRECT_CHAIN.code,
      message: `itself redirects to ${target.redirectTo}`,
    };
  const before = members.find((member) => member.isDesired && member.redirectTo === name);
  return before === undefined
    ? null
    : {
        code: CUSTOM_DOMAIN_FAULTS.REDIRECT_CHAIN.code,
        message: `cannot be reached through ${name}, to which ${before.name} redirects`,
      };
}
