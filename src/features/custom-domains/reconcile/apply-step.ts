/**
 * Does one step of a group, in the cloud or in our own records. A call to the cloud is recorded before it is made.
 */
import { SHORTEST_REST_MS, pollRestMs } from "../../../cloud/calls/poll-rest.ts";
import { isOutcomeKnown, type StartedCall } from "../../../cloud/calls/stragglers.ts";
import { announceChange } from "../../../db/changes.ts";
import type { ReconcileResult } from "../../../jobs/jobs.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import { releaseDistribution, remakeDistribution } from "../../distributions/commands.ts";
import type { Certificate, DomainWithRecords, Group } from "../custom-domain.ts";
import { domains, groups } from "../store.ts";
import { attachmentError, caaError } from "./attachment-error.ts";
import { certificates } from "./certificate-store.ts";
import { REPLACEMENT_REST_MS } from "./decide-group.ts";
import { validationDeadline } from "./decide-time-out.ts";
import type { Context, GroupDeps } from "./context.ts";
import type { GroupStep } from "./group-step.ts";
import { forgetRedirects, recordRedirects, updateRedirects } from "./apply-redirects.ts";
import { removeDomain, removeGroup } from "../remove.ts";
import {
  changeGroup,
  failCertificate,
  failDomains,
  groupStatusOf,
  isValidationShown,
  planCertificate,
  recordAttached,
  recordClaims,
  recordObserved,
  recordValidation,
  setDomain,
  setGroupStatus,
  showAuthorization,
  validationSetSince,
} from "./record-group.ts";

/** Our own DNS check enqueues the group when a record appears. This catches what it misses, at growing intervals. */
const VALIDATION_MS = { least: 5 * 60_000, most: 60 * 60_000 };
/** The provider should find the records soon after our own check did. */
const VALIDATION_SOON_MS = 1_000;
const IN_USE_MS = 5_000;
/** The distribution's reconciler enqueues the group when it is created, refused or removed. This catches missed calls. */
const DISTRIBUTION_MS = 60_000;
/** An issued certificate is checked daily for its renewal. */
const RECHECK_MS = 24 * 60 * 60_000;
const AGAIN = { runAfterMs: 0 };

/** @returns `recorded` if nothing changed in the cloud, so that the next step can reuse what was read there */
export async function applyStep(
  deps: GroupDeps,
  context: Context,
  step: GroupStep,
): Promise<ReconcileResult | "recorded"> {
  const { db, cloud, clock, jobs } = deps;
  const { group, desired, account, distribution } = context;
  const { organizationId, id } = group;
  const named = (names: readonly string[]): readonly DomainWithRecords[] =>
    desired.domains.filter(({ name }) => names.includes(name));
  switch (step.kind) {
    case "planCertificate": {
      const startedAt = clock.now();
      const planned = await changeGroup(db, group, (tx) =>
        planCertificate(tx, group, desired.domains, step.names, startedAt),
      );
      if (planned !== null) context.memory.begun.set(planned, { startedAt, startedBefore: null });
      return "recorded";
    }

    case "requestCertificate": {
      const { certificate } = step;
      const call = context.memory.begun.get(certificate.id) ?? (await beginRequest(deps, certificate));
      context.memory.begun.delete(certificate.id);
      const { startedAt } = call;
      const { names, id: token } = certificate;
      const made = await cloud.certificates
        .request({ ...account, startedAt }, { names, token })
        .catch(async (error: unknown) => {
          if (isOutcomeKnown(error)) await certificates.endRequest(db, certificate, call);
          throw error;
        });
      const deadlineAt = validationDeadline(startedAt, deps.validationWindowMs);
      if (!(await certificates.recordRequested(db, certificate, call, { providerId: made.id, deadlineAt })))
        await giveUpStray(deps, context, certificate, made.id);
      return AGAIN;
    }

    case "waitForRecords":
      return { runAfterMs: pollRestMs(step.certificate.requestedAt ?? clock.now(), clock.now()) };

    case "waitForValidation": {
      const waiting = named(step.names);
      const target = distribution.domainName;
      if (!isValidationShown(group, waiting, step.observed, target)) {
        await changeGroup(db, group, (tx) => recordValidation(tx, group, waiting, step.observed, target));
        // They are known now, so they can be set.
        if (group.autoDns) return "recorded";
      }
      const proving = cloud.provesByConnection ? target : null;
      const setSince = validationSetSince(waiting, step.observed, proving);
      return { runAfterMs: validationRestMs(step, setSince, clock.now()) };
    }

    case "waitForDistribution":
      return { runAfterMs: DISTRIBUTION_MS };

    case "remakeDistribution":
      await changeGroup(db, group, async (tx) => {
        for (const domain of desired.domains) {
          if (domain.status === "ATTACHED") await setDomain(tx, group, domain, "ATTACHING");
        }
        await setGroupStatus(tx, group, "PROVISIONING");
        await remakeDistribution(tx, jobs, distribution);
      });
      return { runAfterMs: DISTRIBUTION_MS };

    case "claimNames":
      await changeGroup(db, group, async (tx) => {
        await recordObserved(tx, group, step.certificate, step.observed, desired.domains, clock.now());
        await recordClaims(tx, group, step.domains, clock.now());
      });
      return "recorded";

    case "updateDistribution": {
      const { aliases, certificateId, etag, redirects } = step;
      const update = {
        aliases,
        certificateId,
        enabled: true,
        etag,
        ...(redirects === undefined ? {} : { redirects }),
      };
      const made = await cloud.distributions.update(account, distribution.providerId ?? "", update);
      return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
    }

    case "updateRedirects":
      return await updateRedirects(deps, context, step);

    case "recordRedirects":
      return await recordRedirects(deps, context, step);

    case "waitForDeploy":
      return { runAfterMs: pollRestMs(step.since, clock.now()) };

    case "markAttached":
      await changeGroup(db, group, (tx) =>
        recordAttached(
          tx,
          group,
          named(step.names),
          step.certificate,
          step.observed,
          distribution,
          desired.domains,
          clock.now(),
        ),
      );
      return "recorded";

    case "failDomains":
      await changeGroup(db, group, async (tx) => {
        const { code, cause, caa = new Map() } = step;
        const at = clock.now();
        await showAuthorization(tx, group, named(step.names), caa);
        await failDomains(tx, group, named(step.names), ({ name }) =>
          code === "Cloud:CERT:Error:CAA_BLOCKED"
            ? caaError(name, caa, at)
            : attachmentError(code, at, cause),
        );
        if (step.abandon !== null) await failCertificate(tx, group, step.abandon);
      });
      return "recorded";

    case "holdBack":
      await changeGroup(db, group, async (tx) => {
        const ids = named(step.names).map((domain) => domain.id);
        await domains.setHeldBack(tx, organizationId, ids, true);
        await failCertificate(tx, group, step.abandon);
      });
      return "recorded";

    case "endHoldBack": {
      const ids = step.domains.map((domain) => domain.id);
      await changeGroup(db, group, (tx) => domains.setHeldBack(tx, organizationId, ids, false));
      return "recorded";
    }

    case "putOffReplacement":
      await changeGroup(db, group, async (tx) => {
        await groups.putOffReplacement(tx, group, new Date(clock.now().getTime() + REPLACEMENT_REST_MS));
        await failCertificate(tx, group, step.certificate);
      });
      return AGAIN;

    case "abandonCertificate":
      // The certificate is no longer needed. That is not a failure, so no event is emitted.
      await changeGroup(db, group, (tx) => certificates.abandon(tx, step.certificate));
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
      if (step.domains.some(({ redirectTo, isRedirectLive }) => redirectTo !== null || !isRedirectLive))
        await forgetRedirects(deps, context);
      await changeGroup(db, group, async (tx) => {
        const slipway = slipwayOf(organizationId);
        for (const domain of step.domains) await removeDomain(tx, slipway, group, domain);
        announceChange(tx, id);
      });
      return "recorded";

    case "resumeDomains":
      await changeGroup(db, group, async (tx) => {
        for (const domain of step.domains) await setDomain(tx, group, domain, "PENDING");
        await setGroupStatus(tx, group, "PROVISIONING");
      });
      return "recorded";

    case "releaseGroup":
      if (group.isDefaultCdn) return await finishDeletion(deps, group);
      if (distribution.isDesired)
        await db.transaction((tx) => releaseDistribution(tx, jobs, organizationId, distribution.id));
      return { runAfterMs: DISTRIBUTION_MS };

    case "settled": {
      const { certificate, observed, againAt } = step;
      await changeGroup(db, group, async (tx) => {
        if (certificate !== null && observed !== null)
          await recordObserved(tx, group, certificate, observed, desired.domains, clock.now());
        await setGroupStatus(tx, group, groupStatusOf(desired.domains));
      });
      const recheckMs = certificate === null ? Infinity : RECHECK_MS;
      const againMs = againAt === null ? Infinity : againAt.getTime() - clock.now().getTime();
      const runAfterMs = Math.max(0, Math.min(recheckMs, againMs));
      return runAfterMs === Infinity ? "done" : { runAfterMs };
    }
  }
}

/** Records the intent first: if the answer is lost, a later removal knows that there may be something. */
async function beginRequest({ db, clock }: GroupDeps, certificate: Certificate): Promise<StartedCall> {
  const startedAt = clock.now();
  return { startedAt, startedBefore: await certificates.markRequested(db, certificate, startedAt) };
}

/**
 * While this worker stood still, others finished the request: its token was forgotten together with the certificate
 * that it had created. So this call created another certificate, which is not needed.
 */
async function giveUpStray(
  { db, cloud, jobs }: GroupDeps,
  { group, account }: Context,
  certificate: Certificate,
  providerId: string,
): Promise<void> {
  const isKnown = await changeGroup(db, group, async (tx) => {
    if (!(await certificates.insertStray(tx, certificate, providerId))) return false;
    await jobs.enqueue(tx, "domain-certificate-group", group);
    return true;
  });
  if (!isKnown) await cloud.certificates.delete(account, providerId);
}

/**
 * How long to wait before the next check, in ms: until the records or a deployment may be ready, at most until the
 * certificate's validation deadline.
 */
function validationRestMs(
  { certificate, deployingSince, againAt }: Extract<GroupStep, { kind: "waitForValidation" }>,
  setSince: Date | null,
  now: Date,
): number {
  const requestedAt = certificate.requestedAt ?? now;
  const leftMs = (certificate.validationDeadlineAt?.getTime() ?? 0) - now.getTime();
  const unobservedMs = Math.max(VALIDATION_MS.least, (now.getTime() - requestedAt.getTime()) / 4);
  const recordsMs =
    setSince === null
      ? Math.min(unobservedMs, VALIDATION_MS.most)
      : pollRestMs(setSince > requestedAt ? setSince : requestedAt, now, VALIDATION_SOON_MS);
  const deployMs = deployingSince === null ? Infinity : pollRestMs(deployingSince, now);
  const againMs = againAt === null ? Infinity : againAt.getTime() - now.getTime();
  return Math.max(0, Math.min(leftMs, recordsMs, deployMs, againMs));
}

/** The last step of a deletion, after everything in the cloud is removed. */
export async function finishDeletion({ db }: GroupDeps, group: Group): Promise<ReconcileResult> {
  if (!group.isDeleting) return "done";
  const { organizationId, id } = group;
  await changeGroup(db, group, async (tx) => {
    const slipway = slipwayOf(organizationId);
    for (const domain of await domains.listAll(tx, organizationId, id))
      await removeDomain(tx, slipway, group, domain);
    for (const certificate of await certificates.list(tx, organizationId, id))
      await certificates.delete(tx, certificate);
    await removeGroup(tx, slipway, group, "domain_group.deleted");
  });
  return "done";
}
