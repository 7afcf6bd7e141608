/**
 * Takes a group one step on: gather what is wanted and what the cloud has → decide → one step → record. A step that
 * changes only our own records hands what the cloud answered to the next one, which does not ask again.
 * Nothing is held while the cloud thinks. Every record is guarded by what it was based on: the
 * distribution's ETag, the certificate's own row, the status of a domain; a worker that was overtaken
 * changes nothing.
 */
import type { Clock } from "../../../lib/clock.ts";
import { getConnectedAccount } from "../../cloud-accounts/commands.ts";
import {
  type CertificateSeen,
  type Cloud,
  type CloudAccount,
  CloudError,
  type DistributionSeen,
} from "../../../cloud/cloud.ts";
import { pollRestMs, SHORTEST_REST_MS } from "../../../cloud/calls/poll-rest.ts";
import { hasKnownEnd } from "../../../cloud/calls/stragglers.ts";
import { announceChange } from "../../../db/changes.ts";
import type { Database } from "../../../db/database.ts";
import { findDistribution, releaseDistribution, remakeDistribution } from "../../distributions/commands.ts";
import type { Distribution } from "../../distributions/distribution.ts";
import type { EntityRef, Jobs, Reconcile, ReconcileResult } from "../../../jobs/jobs.ts";
import { attachmentError } from "./attachment-error.ts";
import { handleRefusal } from "./refusal/cloud-refusal.ts";
import type { Certificate, Group } from "../custom-domain.ts";
import { decideGroup, REPLACEMENT_REST_MS } from "./decide-group.ts";
import type { GroupIntended, GroupSeen, GroupStep } from "./group-step.ts";
import {
  changeGroup,
  failDomains,
  groupStatusOf,
  isValidationShown,
  planCertificate,
  recordAttached,
  recordClaims,
  recordValidation,
  setDomain,
  setGroupStatus,
  validationSetSince,
} from "./record-group.ts";
import { certificates } from "./certificate/certificate-store.ts";
import { domains, groups } from "../store.ts";
import { findWanted, type ShownDomain, type Wanted } from "./wanted-store.ts";

/** Our own look at the DNS pokes the group when a record appears; this is for what it misses, ever less often. */
const VALIDATION_MS = { least: 5 * 60_000, most: 60 * 60_000 };
/** Soon after our own look found the records, the provider should. */
const VALIDATION_SOON_MS = 1_000;
const IN_USE_MS = 5_000;
const NOT_CONNECTED_MS = 30_000;
/** The distribution's own reconciler pokes the group when it is made, refused or gone; this is for what it misses. */
const DISTRIBUTION_MS = 60_000;
/** An issued certificate is looked at daily for its renewal. */
const RECHECK_MS = 24 * 60 * 60_000;
const AGAIN = { runAfterMs: 0 };

type Deps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly validationWindowMs: number;
};

type Intended = Omit<GroupIntended, "domains"> & { readonly domains: readonly ShownDomain[] };

type Context = {
  readonly group: Group;
  readonly intended: Intended;
  readonly distribution: Distribution;
  readonly account: CloudAccount;
};

/** What the provider answered since something changed in the cloud, by its own ids. */
type Answers = {
  readonly certificates: Map<string, CertificateSeen | null>;
  readonly distributions: Map<string, DistributionSeen | null>;
};

export function reconcileGroup(deps: Deps): Reconcile {
  return (ref) => takeStep(deps, ref, { certificates: new Map(), distributions: new Map() });
}

async function takeStep(deps: Deps, ref: EntityRef, answers: Answers): Promise<ReconcileResult> {
  const { db, cloud, clock } = deps;
  const wanted = await findWanted(db, ref.organizationId, ref.id);
  if (wanted === null) return "done";
  const { group } = wanted;
  const distribution = await findDistribution(db, ref.organizationId, group.distributionId);
  if (distribution === null) return await finishDeletion(deps, group);
  const intended = intendedOf(wanted, distribution);
  const account = await getConnectedAccount(db, ref.organizationId, distribution.awsAccountId, ref.id);
  if (account === null) return await waitForAccount(deps, group, intended);

  const context: Context = { group, intended, distribution, account };
  let step: GroupStep | null = null;
  try {
    const seen = await gatherSeen(cloud, context, answers);
    step = decideGroup(intended, seen, clock.now());
    const result = await apply(deps, context, step);
    return result === "recorded" ? { next: () => takeStep(deps, ref, answers) } : result;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return await handleRefusal(deps, context, step, error);
  }
}

function intendedOf({ group, domains, certificates }: Wanted, distribution: Distribution): Intended {
  return {
    isDeleting: group.isDeleting,
    domains,
    certificates,
    distribution: { isMade: distribution.providerId !== null, refusal: distribution.lastError },
    replaceNotBefore: group.replaceNotBefore,
  };
}

/**
 * Asks for what is not answered yet. One after the other: of two questions at once, the one that is
 * answered is asked in vain when the other fails.
 */
async function gatherSeen(
  cloud: Cloud,
  { intended, distribution, account }: Context,
  answers: Answers,
): Promise<GroupSeen> {
  const seen = new Map<string, CertificateSeen | null>();
  for (const { id, providerId, isAbandoned } of intended.certificates) {
    if (providerId === null || isAbandoned) continue;
    const ask = () => cloud.certificates.describe(account, providerId);
    seen.set(id, await answerOf(answers.certificates, providerId, ask));
  }
  const { providerId } = distribution;
  if (providerId === null) return { certificates: seen, distribution: "absent" };
  const ask = () => cloud.distributions.describe(account, providerId);
  const found = await answerOf(answers.distributions, providerId, ask);
  return { certificates: seen, distribution: found ?? "absent" };
}

async function answerOf<Answer>(
  answers: Map<string, Answer>,
  id: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const known = answers.get(id);
  if (known !== undefined) return known;
  const answer = await ask();
  answers.set(id, answer);
  return answer;
}

/** @returns `recorded` when nothing changed in the cloud: what was seen there is as good for the next step */
async function apply(deps: Deps, context: Context, step: GroupStep): Promise<ReconcileResult | "recorded"> {
  const { db, cloud, clock, jobs } = deps;
  const { group, intended, account, distribution } = context;
  const { organizationId, id } = group;
  const named = (names: readonly string[]): readonly ShownDomain[] =>
    intended.domains.filter(({ name }) => names.includes(name));
  switch (step.kind) {
    case "planCertificate":
      await changeGroup(db, group, (tx) => planCertificate(tx, group, intended.domains, step.names));
      return "recorded";

    case "requestCertificate": {
      const { certificate } = step;
      // Intent first: should the answer be lost, a later removal knows that there may be something.
      const startedAt = clock.now();
      const startedBefore = await certificates.markRequested(db, certificate, startedAt);
      const call = { startedAt, startedBefore };
      const { names, id: token } = certificate;
      const made = await cloud.certificates
        .request({ ...account, startedAt }, { names, token })
        .catch(async (error: unknown) => {
          if (hasKnownEnd(error)) await certificates.endRequest(db, certificate, call);
          throw error;
        });
      const deadlineAt = new Date(startedAt.getTime() + deps.validationWindowMs);
      if (!(await certificates.recordRequested(db, certificate, call, { providerId: made.id, deadlineAt })))
        await giveUpStray(deps, context, certificate, made.id);
      return AGAIN;
    }

    case "waitForRecords":
      return { runAfterMs: pollRestMs(step.certificate.requestedAt ?? clock.now(), clock.now()) };

    case "waitForValidation": {
      const waiting = named(step.names);
      if (!isValidationShown(group, waiting, step.seen))
        await changeGroup(db, group, (tx) => recordValidation(tx, group, waiting, step.seen));
      return { runAfterMs: validationRestMs(step, validationSetSince(waiting, step.seen), clock.now()) };
    }

    case "waitForDistribution":
      return { runAfterMs: DISTRIBUTION_MS };

    case "remakeDistribution":
      await changeGroup(db, group, async (tx) => {
        for (const domain of intended.domains) {
          if (domain.status === "ATTACHED") await setDomain(tx, domain, "ATTACHING");
        }
        await setGroupStatus(tx, group, "PROVISIONING");
        await remakeDistribution(tx, jobs, distribution);
      });
      return { runAfterMs: DISTRIBUTION_MS };

    case "claimNames":
      await changeGroup(db, group, async (tx) => {
        await certificates.recordSeen(tx, step.certificate, step.seen);
        await recordClaims(tx, group, step.domains, clock.now());
      });
      return "recorded";

    case "updateDistribution": {
      const { aliases, certificateId, etag } = step;
      const update = { aliases, certificateId, enabled: true, etag };
      const made = await cloud.distributions.update(account, distribution.providerId ?? "", update);
      return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
    }

    case "waitForDeploy":
      return { runAfterMs: pollRestMs(step.since, clock.now()) };

    case "markAttached":
      await changeGroup(db, group, (tx) =>
        recordAttached(tx, named(step.names), step.certificate, step.seen, distribution),
      );
      return "recorded";

    case "failDomains":
      await changeGroup(db, group, async (tx) => {
        const error = attachmentError(step.code, clock.now(), step.cause);
        await failDomains(tx, group, named(step.names), error);
        if (step.abandon !== null) await certificates.abandon(tx, step.abandon);
      });
      return "recorded";

    case "putOffReplacement":
      await changeGroup(db, group, async (tx) => {
        await groups.putOffReplacement(tx, group, new Date(clock.now().getTime() + REPLACEMENT_REST_MS));
        await certificates.abandon(tx, step.certificate);
      });
      return AGAIN;

    case "abandonCertificate":
      await certificates.abandon(db, step.certificate);
      return "recorded";

    case "deleteCertificate": {
      const { certificate } = step;
      const outcome = await cloud.certificates.delete(account, certificate.providerId ?? "");
      if (outcome === "in-use") return { runAfterMs: IN_USE_MS };
      await certificates.delete(db, certificate);
      return AGAIN;
    }

    case "waitForStraggler":
      return { runAfterMs: Math.max(0, step.until.getTime() - clock.now().getTime()) };

    case "forgetCertificate":
      await certificates.delete(db, step.certificate);
      return AGAIN;

    case "forgetDomains":
      await changeGroup(db, group, async (tx) => {
        for (const domain of step.domains) {
          await domains.delete(tx, organizationId, domain.id);
          announceChange(tx, domain.id);
        }
        announceChange(tx, id);
      });
      return "recorded";

    case "resumeDomains":
      await changeGroup(db, group, async (tx) => {
        for (const domain of step.domains) await setDomain(tx, domain, "PENDING");
        await setGroupStatus(tx, group, "PROVISIONING");
      });
      return "recorded";

    case "releaseGroup":
      if (group.isDefaultCdn) return await finishDeletion(deps, group);
      if (distribution.isWanted)
        await db.transaction((tx) => releaseDistribution(tx, jobs, organizationId, distribution.id));
      return { runAfterMs: DISTRIBUTION_MS };

    case "settled": {
      const { certificate, seen, againAt } = step;
      await changeGroup(db, group, async (tx) => {
        if (certificate !== null && seen !== null) await certificates.recordSeen(tx, certificate, seen);
        await setGroupStatus(tx, group, groupStatusOf(intended.domains));
      });
      const recheckMs = certificate === null ? Infinity : RECHECK_MS;
      const againMs = againAt === null ? Infinity : againAt.getTime() - clock.now().getTime();
      const runAfterMs = Math.max(0, Math.min(recheckMs, againMs));
      return runAfterMs === Infinity ? "done" : { runAfterMs };
    }
  }
}

/**
 * Others came to the end of a request while this worker stood still: its token was forgotten with what it had
 * made, and this call made another, which serves nothing.
 */
async function giveUpStray(
  { db, cloud, jobs }: Deps,
  { group, account }: Context,
  certificate: Certificate,
  providerId: string,
): Promise<void> {
  const isKnown = await changeGroup(db, group, async (tx) => {
    if (!(await certificates.insertStray(tx, certificate, providerId))) return false;
    await jobs.poke(tx, "domain-certificate-group", group);
    return true;
  });
  if (!isKnown) await cloud.certificates.delete(account, providerId);
}

/** Whoever waits for something to happen is told why it does not; the account's own check brings it back. */
async function waitForAccount(
  { db, clock }: Deps,
  group: Group,
  intended: GroupIntended,
): Promise<ReconcileResult> {
  const waiting = intended.domains.filter(
    ({ isWanted, status }) => !isWanted || (status !== "ATTACHED" && status !== "ERROR_ATTACHING"),
  );
  if (waiting.length > 0) {
    const error = attachmentError("Cloud:ACCOUNT:Error:ACCESS_DENIED", clock.now());
    await changeGroup(db, group, (tx) => failDomains(tx, group, waiting, error));
  }
  return { runAfterMs: NOT_CONNECTED_MS };
}

/** Until the certificate's time is over, the records should have been seen, or a deployment may have ended. */
function validationRestMs(
  { certificate, deployingSince }: Extract<GroupStep, { kind: "waitForValidation" }>,
  setSince: Date | null,
  now: Date,
): number {
  const requestedAt = certificate.requestedAt ?? now;
  const leftMs = (certificate.validationDeadlineAt?.getTime() ?? 0) - now.getTime();
  const unseenMs = Math.max(VALIDATION_MS.least, (now.getTime() - requestedAt.getTime()) / 4);
  const recordsMs =
    setSince === null
      ? Math.min(unseenMs, VALIDATION_MS.most)
      : pollRestMs(setSince > requestedAt ? setSince : requestedAt, now, VALIDATION_SOON_MS);
  const deployMs = deployingSince === null ? Infinity : pollRestMs(deployingSince, now);
  return Math.max(0, Math.min(leftMs, recordsMs, deployMs));
}

/** The last step of a deletion, when nothing is left in the cloud. */
async function finishDeletion({ db }: Deps, group: Group): Promise<ReconcileResult> {
  if (!group.isDeleting) return "done";
  const { organizationId, id } = group;
  await changeGroup(db, group, async (tx) => {
    for (const domain of await domains.listAll(tx, organizationId, id))
      await domains.delete(tx, organizationId, domain.id);
    for (const certificate of await certificates.list(tx, organizationId, id))
      await certificates.delete(tx, certificate);
    await groups.delete(tx, organizationId, id);
    announceChange(tx, id);
  });
  return "done";
}
