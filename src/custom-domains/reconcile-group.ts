/**
 * Takes a group one step on: gather what is wanted and what the cloud has → decide → one step → record.
 * Nothing is held while the cloud thinks. Every record is guarded by what it was based on: the
 * distribution's ETag, the certificate's own row; a worker that was overtaken changes nothing.
 */
import type { Clock } from "../clock.ts";
import { suspectAwsAccount, getConnectedAccount } from "../cloud-accounts/commands.ts";
import { type CertificateSeen, type Cloud, type CloudAccount, CloudError } from "../cloud/cloud.ts";
import { announceChange } from "../db/changes.ts";
import type { Database, Transaction } from "../db/database.ts";
import { findDistribution, releaseDistribution } from "../distributions/commands.ts";
import type { Distribution } from "../distributions/distribution.ts";
import { newId } from "../ids.ts";
import type { Jobs, Reconcile, ReconcileResult } from "../jobs/jobs.ts";
import { attachmentError, codeOfCloudError } from "./attachment-error.ts";
import type { AttachmentErrorCode, Certificate, Domain, Group, GroupStatus } from "./custom-domain.ts";
import { decideGroup, type GroupIntended, type GroupSeen, type GroupStep } from "./decide-group.ts";
import { connectionRecord, verificationRecord } from "./dns-record.ts";
import { certificates, dnsRecords, domains, groups, provenNames } from "./store.ts";

const RECORDS_MS = 500;
const DEPLOYING_MS = 500;
/** Our own look at the DNS pokes the group when a record appears; this is for what it misses. */
const VALIDATION_MS = 60_000;
/** Soon after our own look found the records, the provider should. */
const VALIDATION_SOON_MS = 1_000;
const IN_USE_MS = 5_000;
const NOT_CONNECTED_MS = 30_000;
const DISTRIBUTION_MS = 5_000;
/** An issued certificate is looked at daily for its renewal. */
const RECHECK_MS = 24 * 60 * 60_000;

type Deps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly validationWindowMs: number;
};

type Context = {
  readonly group: Group;
  readonly intended: GroupIntended;
  readonly distribution: Distribution;
  readonly account: CloudAccount;
};

export function reconcileGroup(deps: Deps): Reconcile {
  return async (ref) => {
    const { db, cloud, clock } = deps;
    const group = await groups.find(db, ref.organizationId, ref.id);
    if (group === null) return "done";
    const distribution = await findDistribution(db, ref.organizationId, group.distributionId);
    if (distribution === null) return await finishWithoutDistribution(deps, group);
    const account = await getConnectedAccount(db, ref.organizationId, distribution.awsAccountId);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };

    const intended = await gatherIntended(db, group);
    const context: Context = { group, intended, distribution, account };
    try {
      const seen = await gatherSeen(cloud, context);
      const step = decideGroup(intended, seen, clock.now());
      return await apply(deps, context, step);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      return await recordCloudError(deps, context, error);
    }
  };
}

async function gatherIntended(db: Database, group: Group): Promise<GroupIntended> {
  const { organizationId, id } = group;
  const members = await domains.listAll(db, organizationId, id);
  return {
    isDeleting: group.isDeleting,
    domains: members,
    certificates: await certificates.list(db, organizationId, id),
    namesOfOthers: await provenNames.ofOthers(
      db,
      organizationId,
      members.map(({ name }) => name),
    ),
  };
}

async function gatherSeen(cloud: Cloud, { intended, distribution, account }: Context): Promise<GroupSeen> {
  const seen = new Map<string, CertificateSeen | null>();
  for (const certificate of intended.certificates) {
    if (certificate.providerId === null || certificate.isAbandoned) continue;
    seen.set(certificate.id, await cloud.certificates.describe(account, certificate.providerId));
  }
  const { providerId } = distribution;
  const found = providerId === null ? null : await cloud.distributions.describe(account, providerId);
  return { certificates: seen, distribution: found ?? "absent" };
}

async function apply(deps: Deps, context: Context, step: GroupStep): Promise<ReconcileResult> {
  const { db, cloud, clock, jobs } = deps;
  const { group, intended, account, distribution } = context;
  const { organizationId, id } = group;
  const again = { runAfterMs: 0 };
  switch (step.kind) {
    case "planCertificate":
      await db.transaction(async (tx) => {
        await certificates.insert(tx, { organizationId, id: newId("cert"), groupId: id, names: step.names });
        await advance(tx, context, step.names, "CREATING");
        await setGroupStatus(tx, group, "PROVISIONING");
      });
      return again;

    case "requestCertificate": {
      const { certificate } = step;
      const requestedAt = clock.now();
      const made = await cloud.certificates.request(account, {
        names: certificate.names,
        token: certificate.id,
      });
      const deadlineAt = new Date(requestedAt.getTime() + deps.validationWindowMs);
      await certificates.recordRequested(db, certificate, made.id, requestedAt, deadlineAt);
      return again;
    }

    case "waitForRecords":
      return { runAfterMs: RECORDS_MS };

    case "waitForValidation": {
      const isSet = await db.transaction(async (tx) => await recordValidation(tx, context, step.seen));
      const leftMs = (step.certificate.validationDeadlineAt?.getTime() ?? 0) - clock.now().getTime();
      return { runAfterMs: Math.max(0, Math.min(isSet ? VALIDATION_SOON_MS : VALIDATION_MS, leftMs)) };
    }

    case "waitForDistribution":
      return { runAfterMs: DISTRIBUTION_MS };

    case "updateDistribution": {
      if (step.certificate !== null) {
        const { certificate } = step;
        const fresh = intended.domains.filter(
          ({ name, status }) => step.aliases.includes(name) && status !== "ATTACHED",
        );
        await db.transaction(async (tx) => {
          for (const domain of fresh) {
            await provenNames.claim(tx, domain);
            await setDomain(tx, domain, "ATTACHING", null);
          }
          await certificates.recordSeen(tx, certificate, await seenOf(cloud, context, certificate));
        });
      }
      const { aliases, certificateId, etag } = step;
      await cloud.distributions.update(account, distribution.providerId ?? "", {
        aliases,
        certificateId,
        enabled: true,
        etag,
      });
      return again;
    }

    case "waitForDeploy":
      return { runAfterMs: DEPLOYING_MS };

    case "markAttached":
      await db.transaction(async (tx) => {
        await certificates.recordSeen(tx, step.certificate, step.seen);
        for (const domain of intended.domains.filter(({ name }) => step.names.includes(name))) {
          await dnsRecords.put(tx, connectionRecord(domain, distribution.domainName ?? ""));
          await setDomain(tx, domain, "ATTACHED", null);
        }
      });
      return again;

    case "failDomains":
      await failDomains(deps, context, step.names, step.code, step.abandon);
      return again;

    case "abandonCertificate":
      await certificates.abandon(db, step.certificate);
      return again;

    case "deleteCertificate": {
      const { certificate } = step;
      // One whose request's answer was lost is found by its token, and then deleted.
      const providerId =
        certificate.providerId ??
        (await cloud.certificates.request(account, { names: certificate.names, token: certificate.id })).id;
      const outcome = await cloud.certificates.delete(account, providerId);
      if (outcome === "in-use") return { runAfterMs: IN_USE_MS };
      await certificates.delete(db, certificate);
      return again;
    }

    case "forgetDomains":
      await db.transaction(async (tx) => {
        for (const domain of step.domains) {
          await domains.delete(tx, organizationId, domain.id);
          await announceChange(tx, domain.id);
        }
        await announceChange(tx, id);
      });
      return again;

    case "releaseGroup":
      if (group.isDefaultCdn) return await finishWithoutDistribution(deps, group);
      await db.transaction(async (tx) => {
        if (distribution.isWanted) await releaseDistribution(tx, jobs, organizationId, distribution.id);
      });
      // The distribution's end pokes the group.
      return { runAfterMs: DISTRIBUTION_MS };

    case "settled": {
      const { certificate, seen } = step;
      await db.transaction(async (tx) => {
        if (certificate !== null && seen !== null) await certificates.recordSeen(tx, certificate, seen);
        await setGroupStatus(tx, group, statusOf(intended.domains));
      });
      return certificate === null ? "done" : { runAfterMs: RECHECK_MS };
    }
  }
}

async function seenOf(
  cloud: Cloud,
  { account }: Context,
  certificate: Certificate,
): Promise<CertificateSeen> {
  const seen = await cloud.certificates.describe(account, certificate.providerId ?? "");
  if (seen === null)
    throw new CloudError(
      "retryable",
      "NOT_FOUND",
      "certificates.describe",
      "The certificate is gone; its state is read again.",
    );
  return seen;
}

/** Shows the verification records. @returns whether our own look found all of them set */
async function recordValidation(tx: Transaction, context: Context, seen: CertificateSeen): Promise<boolean> {
  const { intended, group } = context;
  const waiting = intended.domains.filter(({ name }) => seen.domains.some((domain) => domain.name === name));
  for (const domain of waiting) {
    const record = seen.domains.find(({ name }) => name === domain.name)?.record;
    if (record !== null && record !== undefined) await dnsRecords.put(tx, verificationRecord(domain, record));
    if (domain.status !== "ATTACHED")
      await setDomain(tx, domain, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", null);
  }
  await setGroupStatus(tx, group, "PROVISIONING");
  const records = await dnsRecords.list(
    tx,
    group.organizationId,
    waiting.map(({ id }) => id),
  );
  const needed = records.filter(({ purpose }) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION");
  return needed.length > 0 && needed.every(({ status }) => status === "OK");
}

/** A refusal of the cloud: one that lasts goes to the domains concerned, any other is tried again. */
async function recordCloudError(deps: Deps, context: Context, error: CloudError): Promise<ReconcileResult> {
  const code = codeOfCloudError(error);
  if (code === null) throw error;
  const { intended, group, distribution } = context;
  if (error.kind === "denied") {
    await deps.db.transaction((tx) =>
      suspectAwsAccount(tx, deps.jobs, group.organizationId, distribution.awsAccountId),
    );
  }
  const leaving = intended.domains.filter(({ isWanted }) => !isWanted);
  if (leaving.length > 0) {
    await deps.db.transaction(async (tx) => {
      const lastError = attachmentError(code, deps.clock.now());
      for (const domain of leaving) await setDomain(tx, domain, "ERROR_DETACHING", lastError);
      await setGroupStatus(tx, group, "ERROR");
    });
    // Tried again without being asked, slowly: what is to go must go.
    throw error;
  }
  const fresh = intended.domains.filter(
    ({ status }) => status !== "ATTACHED" && status !== "ERROR_ATTACHING",
  );
  if (fresh.length === 0) throw error;
  if (error.code === "ALIAS_IN_USE" && fresh.length > 1) return await attachOneByOne(deps, context, fresh);
  const newest = intended.certificates.findLast(({ isAbandoned }) => !isAbandoned) ?? null;
  const isServing = newest !== null && intended.domains.some(({ status }) => status === "ATTACHED");
  await failDomains(
    deps,
    context,
    fresh.map(({ name }) => name),
    code,
    isServing ? null : newest,
  );
  return { runAfterMs: 0 };
}

/** One of several new names is on another distribution, and the provider does not say which: each is tried alone. */
async function attachOneByOne(
  deps: Deps,
  context: Context,
  fresh: readonly Domain[],
): Promise<ReconcileResult> {
  const { cloud } = deps;
  const { account, distribution, intended } = context;
  const providerId = distribution.providerId ?? "";
  const seen = await gatherSeen(cloud, context);
  const issued = intended.certificates.findLast(({ id }) => seen.certificates.get(id)?.status === "ISSUED");
  if (issued?.providerId === undefined || issued.providerId === null) return { runAfterMs: 0 };
  const refused: string[] = [];
  for (const { name } of fresh) {
    const current = await cloud.distributions.describe(account, providerId);
    if (current === null || current.aliases.includes(name)) continue;
    try {
      await cloud.distributions.update(account, providerId, {
        aliases: [...current.aliases, name],
        certificateId: issued.providerId,
        enabled: true,
        etag: current.etag,
      });
    } catch (error) {
      if (!(error instanceof CloudError && error.code === "ALIAS_IN_USE")) throw error;
      refused.push(name);
    }
  }
  if (refused.length > 0)
    await failDomains(deps, context, refused, "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE", null);
  return { runAfterMs: 0 };
}

async function failDomains(
  { db, clock }: Deps,
  { intended, group }: Context,
  names: readonly string[],
  code: AttachmentErrorCode,
  abandon: Certificate | null,
): Promise<void> {
  const error = attachmentError(code, clock.now());
  await db.transaction(async (tx) => {
    for (const domain of intended.domains.filter(({ name }) => names.includes(name))) {
      await setDomain(tx, domain, "ERROR_ATTACHING", error);
    }
    if (abandon !== null) await certificates.abandon(tx, abandon);
    await setGroupStatus(tx, group, "ERROR");
  });
}

/** The last step of a deletion, when nothing is left in the cloud. */
async function finishWithoutDistribution({ db }: Deps, group: Group): Promise<ReconcileResult> {
  if (!group.isDeleting) return "done";
  const { organizationId, id } = group;
  await db.transaction(async (tx) => {
    for (const domain of await domains.listAll(tx, organizationId, id))
      await domains.delete(tx, organizationId, domain.id);
    for (const certificate of await certificates.list(tx, organizationId, id))
      await certificates.delete(tx, certificate);
    await groups.delete(tx, organizationId, id);
    await announceChange(tx, id);
  });
  return "done";
}

/** Moves those of the names that are not served yet. */
async function advance(
  tx: Transaction,
  { intended }: Context,
  names: readonly string[],
  status: Domain["status"],
): Promise<void> {
  for (const domain of intended.domains) {
    if (names.includes(domain.name) && domain.status === "PENDING") await setDomain(tx, domain, status, null);
  }
}

async function setDomain(
  tx: Transaction,
  domain: Domain,
  status: Domain["status"],
  error: Domain["lastAttachmentError"],
): Promise<void> {
  await domains.setStatus(tx, domain, status, error);
  if (domain.status !== status) await announceChange(tx, domain.id);
}

async function setGroupStatus(tx: Transaction, group: Group, status: GroupStatus): Promise<void> {
  const next = group.isDeleting ? "DELETING" : status;
  await groups.setStatus(tx, group.organizationId, group.id, next);
  if (group.status !== next) await announceChange(tx, group.id);
}

function statusOf(members: readonly Domain[]): GroupStatus {
  if (members.some(({ status }) => status.startsWith("ERROR_"))) return "ERROR";
  return members.length === 0 ? "DRAFT" : "ACTIVE";
}
