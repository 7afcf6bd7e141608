import { createHash, randomBytes } from "node:crypto";
import type { Database, Transaction } from "../../../db/database.ts";
import type { DomainConnect } from "../../../domain-connect/domain-connect.ts";
import { announceWork } from "../../../jobs/jobs.ts";
import type { Actor } from "../../../lib/actor.ts";
import { AppError } from "../../../lib/errors.ts";
import { findDistribution } from "../../distributions/commands.ts";
import { emit } from "../../events/emit.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import type { Domain } from "../custom-domain.ts";
import { connectEvent } from "../domain-events.ts";
import { CUSTOM_DOMAIN_ERRORS } from "../errors.ts";
import type { ConnectOutcome } from "../events.ts";
import { getDomain, getGroup } from "../queries.ts";
import { dnsRecords } from "../records/dns-record-store.ts";
import { connectionRecord } from "../records/dns-record.ts";
import { domainConnects } from "./connect-store.ts";

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
  if (!domain.isWanted) throw notOffered("The domain is being deleted.");
  const { delegation } = domain;
  const offer = delegation?.domainConnect ?? null;
  if (delegation === null || offer === null || offer.applyAt === null)
    throw notOffered(
      `As last asked, the DNS provider of ${delegation?.zone ?? domain.name} does not set records for it.`,
    );
  const records = await dnsRecords.list(tx, organizationId, [domainId]);
  const verification = records.find(({ purpose }) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION");
  const { distributionId } = await getGroup(tx, organizationId, domain.groupId);
  const target = (await findDistribution(tx, organizationId, distributionId))?.domainName ?? null;
  if (verification === undefined || target === null)
    throw notOffered("The records of the domain are not known yet.", RECORDS_RETRY_SECONDS);
  const state = randomBytes(32).toString("base64url");
  // Also while it is not shown yet: the owner agrees once.
  const connection = connectionRecord(domain, target);
  const wanted = { name: domain.name, zone: delegation.zone, verification, connection };
  const applyUrl = domainConnect.applyUrl(offer.applyAt, wanted, {
    redirectUri,
    state,
    isVerificationOnly,
  });
  if (applyUrl === null) throw notOffered("The records of the domain have a form that no template has.");
  const { providerName } = offer;
  const stateHash = hashOf(state);
  const way = { organizationId, domainId, startedBy, stateHash, providerName, seconds: SECONDS };
  const expiresAt = await domainConnects.put(tx, way);
  await tell(tx, actor, domain, { type: "domain.connect_started", provider: providerName });
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
      CUSTOM_DOMAIN_ERRORS.DOMAIN_CONNECT_ENDED,
      "This way back was taken before, took too long, or began with somebody else or with another tab.",
    );
  await dnsRecords.checkNow(tx, organizationId, domainId);
  announceWork(tx);
  const outcome = error === null ? "AGREED" : error === "access_denied" ? "DECLINED" : "FAILED";
  await tell(tx, actor, domain, { type: "domain.connect_returned", provider: taken.providerName, outcome });
  return domain;
}

async function tell(
  tx: Transaction,
  actor: Actor,
  domain: Domain,
  news:
    | { readonly type: "domain.connect_started"; readonly provider: string }
    | {
        readonly type: "domain.connect_returned";
        readonly provider: string;
        readonly outcome: ConnectOutcome;
      },
): Promise<void> {
  const { serviceId } = await getGroup(tx, actor.organizationId, domain.groupId);
  const { type, ...data } = news;
  const action = type === "domain.connect_started" ? "domain.connect-started" : "domain.connect-returned";
  recordAudit(tx, actor, action, domain.id, { after: data });
  emit(tx, actor, [connectEvent(type, serviceId, domain, data)]);
}

/** Removes expired Domain Connect attempts. @returns whether there may be more */
export async function pruneConnects(db: Database): Promise<boolean> {
  return await domainConnects.prune(db);
}

function hashOf(state: string): Uint8Array {
  return createHash("sha256").update(state).digest();
}

function notOffered(detail: string, retryAfterSeconds?: number): AppError {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError(CUSTOM_DOMAIN_ERRORS.DOMAIN_CONNECT_NOT_OFFERED, detail, options);
}
