import { createHash, randomBytes } from "node:crypto";
import type { Transaction } from "../../db/database.ts";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { findDistribution } from "../distributions/commands.ts";
import { emit } from "../events/emit.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Domain } from "../custom-domains/custom-domain.ts";
import { requestCheck } from "../custom-domains/commands.ts";
import { domainEvent } from "../custom-domains/domain-events.ts";
import { getDomain, getGroup, listRecords } from "../custom-domains/queries.ts";
import { connectionRecord } from "../custom-domains/records/dns-record.ts";
import { DOMAIN_CONNECT_ERRORS } from "./errors.ts";
import { DOMAIN_CONNECT_EVENTS } from "./events.ts";
import { domainConnects } from "./store.ts";

/** How long an owner may take at the provider. */
const SECONDS = 3_600;
/** A certificate's records are known soon after its request. */
const RECORDS_RETRY_SECONDS = 5;

/** Whom the way back takes, and where it leads. */
export type WayBack = {
  /** Of the caller: a user's id, or what else is let in to begin a way. */
  readonly startedBy: string;
  /** An address at Slipway's public host, which the templates name; the state is added to it. */
  readonly redirectUri: string;
};

/**
 * Begins a Domain Connect attempt at the DNS provider of a domain. The caller sends the owner to the address.
 * @throws AppError `NOT_FOUND`, `DOMAIN_CONNECT_NOT_OFFERED`
 */
export async function startConnect(
  tx: Transaction,
  domainConnect: DomainConnect | null,
  actor: Actor,
  domainId: string,
  { startedBy, redirectUri, isVerificationOnly }: WayBack & { readonly isVerificationOnly: boolean },
): Promise<{ readonly applyUrl: string; readonly providerName: string; readonly expiresAt: Date }> {
  const { organizationId } = actor;
  const domain = await getDomain(tx, organizationId, domainId);
  if (domainConnect === null)
    throw notOffered("This installation is not known to any DNS provider. Its operator can change that.");
  if (!domain.isDesired) throw notOffered("The domain is being deleted.");
  const { delegation } = domain;
  const offer = delegation?.domainConnect ?? null;
  if (delegation === null || offer === null || offer.applyAt === null)
    throw notOffered(
      `When last asked, the DNS provider of ${delegation?.zone ?? domain.name} did not support setting records for it.`,
    );
  const records = await listRecords(tx, organizationId, [domainId]);
  const verification = records.find(({ purpose }) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION");
  const { distributionId, serviceId } = await getGroup(tx, organizationId, domain.groupId);
  const target = (await findDistribution(tx, organizationId, distributionId))?.domainName ?? null;
  if (verification === undefined || target === null)
    throw notOffered("The records of the domain are not known yet.", RECORDS_RETRY_SECONDS);
  const state = randomBytes(32).toString("base64url");
  // Also while it is not shown yet: the owner agrees once.
  const connection = connectionRecord(domain, target);
  const connected = { name: domain.name, zone: delegation.zone, verification, connection };
  const applyUrl = domainConnect.applyUrl(offer.applyAt, connected, {
    redirectUri,
    state,
    isVerificationOnly,
  });
  if (applyUrl === null) throw notOffered("No template has records of the form that the domain needs.");
  const { providerName } = offer;
  const stateHash = hashOf(state);
  const way = { organizationId, domainId, startedBy, stateHash, providerName, seconds: SECONDS };
  const expiresAt = await domainConnects.put(tx, way);
  const data = { provider: providerName };
  recordAudit(tx, actor, "domain.connect-started", domain.id, { after: data });
  const type = DOMAIN_CONNECT_EVENTS["domain.connect_started"];
  emit(tx, actor, [domainEvent(type, serviceId, domain, data)]);
  return { applyUrl, providerName, expiresAt };
}

/**
 * Ends a Domain Connect attempt, and requests a DNS check, which decides whether the provider set anything.
 * @param error what the provider says went wrong, or null
 * @throws AppError `NOT_FOUND`, `DOMAIN_CONNECT_ENDED`
 */
export async function endConnect(
  tx: Transaction,
  actor: Actor,
  domainId: string,
  { startedBy, state, error }: Pick<WayBack, "startedBy"> & { state: string; error: string | null },
): Promise<Domain> {
  const { organizationId } = actor;
  const domain = await getDomain(tx, organizationId, domainId);
  const way = { organizationId, domainId, startedBy, stateHash: hashOf(state) };
  const taken = await domainConnects.take(tx, way);
  if (taken === null)
    throw new AppError(
      DOMAIN_CONNECT_ERRORS.DOMAIN_CONNECT_ENDED,
      "This return was already used or has expired, or another user or another tab started it.",
    );
  await requestCheck(tx, domain);
  const outcome = error === null ? "AGREED" : error === "access_denied" ? "DECLINED" : "FAILED";
  const data = { provider: taken.providerName, outcome } as const;
  recordAudit(tx, actor, "domain.connect-returned", domain.id, { after: data });
  const { serviceId } = await getGroup(tx, organizationId, domain.groupId);
  const type = DOMAIN_CONNECT_EVENTS["domain.connect_returned"];
  emit(tx, actor, [domainEvent(type, serviceId, domain, data)]);
  return domain;
}

/** Removes expired Domain Connect attempts. @returns whether there may be more */
export const pruneConnects = domainConnects.prune;

function hashOf(state: string): Uint8Array {
  return createHash("sha256").update(state).digest();
}

function notOffered(detail: string, retryAfterSeconds?: number): AppError {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError(DOMAIN_CONNECT_ERRORS.DOMAIN_CONNECT_NOT_OFFERED, detail, options);
}
