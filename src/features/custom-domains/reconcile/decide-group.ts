import type { ObservedCertificate, ObservedDistribution } from "../../../cloud/cloud.ts";
import { stragglesUntilMs } from "../../../cloud/calls/stragglers.ts";
import { codeOfCloudError } from "./attachment-error.ts";
import type { Certificate, Domain } from "../custom-domain.ts";
import {
  certificatesLeftOver,
  currentCertificate,
  type GroupView,
  heldBackOf,
  helpfulCertificate,
  viewOf,
} from "./decide-certificate.ts";
import { decideFailed, decideUnissued, failedCertificate } from "./decide-unissued.ts";
import type { DesiredGroup, ObservedGroup, GroupStep } from "./group-step.ts";
import {
  decideRedirects,
  decideRedirectsFirst,
  redirectsDueAt,
  redirectsToSend,
  waitForRedirects,
} from "./decide-redirects.ts";

/** How long the provider may not find a certificate that it has just accepted. */
export const REQUEST_LAG_MS = 90_000;
/** How long domains that failed because access was denied wait before Slipway retries them. */
export const RETRY_DENIED_MS = 10 * 60_000;
/** The time between requests for certificates that replace one in use: the number of requests per year is limited. */
export const REPLACEMENT_REST_MS = 24 * 60 * 60_000;

/**
 * The first rule that applies decides, from top to bottom. First, remove from the distribution what must leave it;
 * then request a certificate for everything that should be served; then put names and certificate on the
 * distribution in one update; then clean up. Redirects are changed in their own step, before that. A name is only on
 * the distribution together with a certificate that covers it, names that are served stay served, and the certificate
 * on the distribution is never abandoned.
 */
export function decideGroup(desired: DesiredGroup, observed: ObservedGroup, now: Date): GroupStep {
  const view = viewOf(desired, observed, now);
  const { distribution, desiredNames, served } = view;
  const leaving = desired.domains.filter((domain) => desired.isDeleting || !domain.isDesired);

  const tooMany = served.filter((alias) => !desiredNames.includes(alias));
  const isIdle = desiredNames.length === 0 && distribution !== null && distribution.certificateId !== null;
  if (distribution !== null && (tooMany.length > 0 || isIdle)) {
    const first = decideRedirectsFirst(view);
    if (first !== null) return first;
    const aliases = served.filter((alias) => desiredNames.includes(alias));
    const certificateId = aliases.length === 0 ? null : distribution.certificateId;
    const { etag } = distribution;
    const redirects = redirectsToSend(view, aliases);
    return {
      kind: "updateDistribution",
      aliases,
      added: [],
      certificateId,
      ...redirects,
      etag,
      certificate: null,
    };
  }
  if (leaving.length > 0) {
    if (distribution !== null && !distribution.deployed) return waitForDeploy(distribution);
    return { kind: "forgetDomains", domains: leaving };
  }
  const resumed = desired.domains.filter((domain) => isDenied(domain) && now >= resumedAt(domain));
  if (resumed.length > 0) return { kind: "resumeDomains", domains: resumed };

  const redirecting = decideRedirects(view);
  if (redirecting !== null) return redirecting;
  const step = desiredNames.length === 0 ? null : decideServing(view);
  if (step !== null) return step;
  const heldBack = heldBackOf(desired);
  if (heldBack.length > 0 && !desired.isDeleting) return { kind: "endHoldBack", domains: heldBack };
  const [leftOver] = certificatesLeftOver(view);
  if (leftOver !== undefined) return { kind: "abandonCertificate", certificate: leftOver };
  const abandoned = desired.certificates.find(({ isAbandoned }) => isAbandoned);
  if (abandoned !== undefined) return decideRemoval(abandoned, now);
  if (desired.isDeleting) return { kind: "releaseGroup" };
  return waitForRedirects(view) ?? settle(view);
}

/**
 * As if the domains whose DNS records could not be removed now were not leaving: a name that leads to the distribution
 * stays served, and the group's other domains do not wait for it.
 * @param delayed has their ids
 */
export function keepServed(
  desired: DesiredGroup,
  { distribution }: ObservedGroup,
  delayed: ReadonlyMap<string, unknown>,
): DesiredGroup {
  const aliases = distribution === "absent" ? [] : distribution.aliases;
  const domains = desired.domains.flatMap((domain): readonly Domain[] => {
    if (domain.isDesired || !delayed.has(domain.id)) return [domain];
    return aliases.includes(domain.name) ? [{ ...domain, isDesired: true, status: "ATTACHED" }] : [];
  });
  return { ...desired, domains };
}

/** Null if all desiredNames names are served as they should be, or nothing can be done for them now. */
function decideServing(view: GroupView): GroupStep | null {
  const { desiredNames, fresh, now, observed, distribution, live } = view;
  const attached = namesJustAttached(view);
  if (attached !== null) return attached;
  const failed = failedCertificate(view);
  const failedObserved = failed === null ? null : (observed.certificates.get(failed.id) ?? null);
  if (failed !== null && failedObserved !== null) return decideFailed(failed, failedObserved, view);
  const certificate = currentCertificate(desiredNames, view);
  if (certificate === null) {
    const { replaceNotBefore } = view.desired;
    const isPutOff = fresh.length === 0 && replaceNotBefore !== null && now < replaceNotBefore;
    return isPutOff ? null : { kind: "planCertificate", names: desiredNames };
  }
  if (certificate.providerId === null) return { kind: "requestCertificate", certificate };
  // For names whose records are set, while the current one waits for those of the others.
  const planned = live.slice(live.indexOf(certificate) + 1).find(({ providerId }) => providerId === null);
  if (planned !== undefined) return { kind: "requestCertificate", certificate: planned };
  // Only abandon it here and delete it at the end: the provider may report a replaced certificate as in use for long.
  const [leftOver] = certificatesLeftOver(view);
  if (leftOver !== undefined) return { kind: "abandonCertificate", certificate: leftOver };

  const found = observed.certificates.get(certificate.id) ?? null;
  // An issued certificate is used even after the deadline.
  if (found?.status === "ISSUED") return decideAttaching(desiredNames, certificate, found, view);
  const helpful = helpfulCertificate(certificate, view);
  const helpfulObserved = helpful === null ? null : (observed.certificates.get(helpful.id) ?? null);
  if (helpful !== null && helpfulObserved?.status === "ISSUED" && distribution !== null) {
    const names = desiredNames.filter((name) => helpful.names.includes(name));
    const step = decideAttaching(names, helpful, helpfulObserved, view);
    if (step !== null) return step;
  }
  if (found === null) {
    // A certificate on the distribution cannot be gone: the provider's answer lags.
    if (certificate === view.serving)
      return fresh.length === 0 ? null : { kind: "waitForRecords", certificate };
    const ageMs = now.getTime() - (certificate.requestedAt?.getTime() ?? 0);
    return ageMs < REQUEST_LAG_MS
      ? { kind: "waitForRecords", certificate }
      : { kind: "abandonCertificate", certificate };
  }
  return decideUnissued(certificate, found, view);
}

/** Names that are live on the distribution but not marked as such. */
function namesJustAttached({
  desired,
  observed,
  distribution,
  desiredNames,
  served,
  serving,
}: GroupView): GroupStep | null {
  const found = serving === null ? null : (observed.certificates.get(serving.id) ?? null);
  if (serving === null || found?.status !== "ISSUED" || distribution?.deployed !== true) return null;
  const names = desired.domains
    .filter(
      ({ name, status }) => desiredNames.includes(name) && served.includes(name) && status !== "ATTACHED",
    )
    .map(({ name }) => name)
    .filter((name) => serving.names.includes(name));
  return names.length === 0 ? null : { kind: "markAttached", names, certificate: serving, observed: found };
}

/** Puts names on the distribution, with an issued certificate that covers them and all names that are served. */
function decideAttaching(
  names: readonly string[],
  certificate: Certificate,
  found: ObservedCertificate,
  { desired, distribution, served }: GroupView,
): GroupStep | null {
  const added = names.filter((name) => !served.includes(name));
  if (distribution === null) {
    const { refusal, isMade } = desired.distribution;
    const code = refusal === null ? null : codeOfCloudError(refusal);
    if (refusal !== null && code !== null)
      return { kind: "failDomains", names: added, code, cause: refusal.code, abandon: null };
    return isMade ? { kind: "remakeDistribution" } : { kind: "waitForDistribution" };
  }
  // One transaction writes ATTACHING together with the claim.
  const unclaimed = desired.domains.filter(
    ({ name, status }) => added.includes(name) && status !== "ATTACHING",
  );
  if (unclaimed.length > 0) return { kind: "claimNames", domains: unclaimed, certificate, observed: found };
  if (added.length > 0 || distribution.certificateId !== found.id) {
    const { etag } = distribution;
    return { kind: "updateDistribution", aliases: names, added, certificateId: found.id, etag, certificate };
  }
  return distribution.deployed ? null : waitForDeploy(distribution);
}

function waitForDeploy({ changedAt }: ObservedDistribution): GroupStep {
  return { kind: "waitForDeploy", since: changedAt };
}

function decideRemoval(certificate: Certificate, now: Date): GroupStep {
  if (certificate.providerId !== null) {
    const until = new Date(stragglesUntilMs(certificate.requestStartedAt));
    return until > now ? { kind: "waitForStraggler", until } : { kind: "deleteCertificate", certificate };
  }
  // If the answer of a request was lost, its token finds the certificate, which is then deleted.
  return certificate.requestedAt === null
    ? { kind: "forgetCertificate", certificate }
    : { kind: "requestCertificate", certificate };
}

function settle(view: GroupView): GroupStep {
  const { desired, observed, desiredNames, serving, now } = view;
  const certificate = desiredNames.length === 0 ? null : serving;
  const { replaceNotBefore } = desired;
  const times = desired.domains.filter(isDenied).map((domain) => resumedAt(domain).getTime());
  if (certificate !== null && replaceNotBefore !== null && replaceNotBefore > now)
    times.push(replaceNotBefore.getTime());
  const redirectsAt = redirectsDueAt(view);
  if (redirectsAt !== null) times.push(redirectsAt.getTime());
  const againAt = times.length === 0 ? null : new Date(Math.min(...times));
  const found = certificate === null ? null : (observed.certificates.get(certificate.id) ?? null);
  return { kind: "settled", certificate, observed: found, againAt };
}

function isDenied(domain: Domain): boolean {
  return (
    domain.isDesired &&
    domain.status === "ERROR_ATTACHING" &&
    domain.lastAttachmentError?.code === "Cloud:ACCOUNT:Error:ACCESS_DENIED"
  );
}

function resumedAt({ lastAttachmentError }: Domain): Date {
  return new Date(Date.parse(lastAttachmentError?.occurredAt ?? "") + RETRY_DENIED_MS);
}
