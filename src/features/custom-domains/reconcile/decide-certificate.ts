/** Decides which of a group's certificates is used for what. */
import type { ObservedCertificate, CertificateStatus, ObservedDistribution } from "../../../cloud/cloud.ts";
import type { Certificate, Domain } from "../custom-domain.ts";
import type { DesiredGroup, ObservedGroup } from "./group-step.ts";

/** The input of a group's rules. */
export type GroupView = {
  readonly desired: DesiredGroup;
  readonly observed: ObservedGroup;
  readonly now: Date;
  readonly distribution: ObservedDistribution | null;
  readonly desiredNames: readonly string[];
  /** Names on the distribution. */
  readonly served: readonly string[];
  /** Wanted names that are not on the distribution, or only with a dead certificate before they were attached. */
  readonly fresh: readonly string[];
  /** Certificates that are not abandoned, oldest first. */
  readonly live: readonly Certificate[];
  /** The certificate on the distribution. */
  readonly serving: Certificate | null;
};

export function viewOf(desired: DesiredGroup, observed: ObservedGroup, now: Date): GroupView {
  const desiredNames = desired.isDeleting ? [] : desired.domains.filter(isToBeServed).map(({ name }) => name);
  const distribution = observed.distribution === "absent" ? null : observed.distribution;
  const served = distribution?.aliases ?? [];
  const live = desired.certificates.filter((certificate) => !certificate.isAbandoned);
  const serving =
    live.find(({ providerId }) => providerId !== null && providerId === distribution?.certificateId) ?? null;
  const isExpired = serving !== null && isDead(observed.certificates.get(serving.id) ?? null);
  const attached = desired.domains.filter(({ status }) => status === "ATTACHED").map(({ name }) => name);
  const fresh = desiredNames.filter(
    (name) => !served.includes(name) || (isExpired && !attached.includes(name)),
  );
  return { desired, observed, now, distribution, desiredNames, served, fresh, live, serving };
}

/**
 * The certificate that covers all of some names: the one on the distribution if it covers them, otherwise
 * the newest. A certificate with more names (after a removal) is used until its renewal fails because of the
 * removed name; then an exact one is needed.
 */
export function currentCertificate(
  names: readonly string[],
  { live, observed, serving }: GroupView,
): Certificate | null {
  const usable = live.filter((certificate) => {
    if (!names.every((name) => certificate.names.includes(name))) return false;
    const found = observed.certificates.get(certificate.id) ?? null;
    if (certificate === serving && isDead(found)) return false;
    if (certificate.names.length === names.length) return true;
    const renewal = found?.renewalStatus ?? null;
    return found?.status === "ISSUED" && renewal !== "PENDING_VALIDATION" && renewal !== "FAILED";
  });
  return usable.find((certificate) => certificate === serving) ?? usable.at(-1) ?? null;
}

/**
 * The newest certificate that can bring some of the fresh names into service while the current one still
 * waits for the others: an added domain must not delay those before it.
 */
export function helpfulCertificate(
  current: Certificate,
  { live, observed, served, fresh }: GroupView,
): Certificate | null {
  const helpful = live.filter(
    ({ id, names, providerId }) =>
      id !== current.id &&
      providerId !== null &&
      !isDead(observed.certificates.get(id) ?? null) &&
      served.every((name) => names.includes(name)) &&
      fresh.some((name) => names.includes(name)),
  );
  return helpful.at(-1) ?? null;
}

/** Live certificates that are not in use, are not about to be, and are not needed if failed domains are retried. */
export function certificatesLeftOver(view: GroupView): readonly Certificate[] {
  const { desired, desiredNames, live, serving, observed } = view;
  const current = desiredNames.length === 0 ? null : currentCertificate(desiredNames, view);
  const helpful = current === null ? null : helpfulCertificate(current, view);
  const hoped = desired.isDeleting ? [] : desired.domains.filter(mayBeServed).map(({ name }) => name);
  const reserve = hoped.length > desiredNames.length ? currentCertificate(hoped, view) : null;
  const isReserve = (id: string): boolean =>
    id === reserve?.id && !isDead(observed.certificates.get(id) ?? null);
  return live.filter(
    ({ id }) => id !== current?.id && id !== helpful?.id && id !== serving?.id && !isReserve(id),
  );
}

const ENDED: ReadonlySet<CertificateStatus> = new Set([
  "INACTIVE",
  "EXPIRED",
  "VALIDATION_TIMED_OUT",
  "REVOKED",
  "FAILED",
]);

export function isDead(found: ObservedCertificate | null): boolean {
  return found !== null && ENDED.has(found.status);
}

/** The names on other certificates that the provider accepted and that have not failed. */
export function vouchedNames(
  { id: failedId }: Certificate,
  { live, observed }: Pick<GroupView, "live" | "observed">,
): ReadonlySet<string> {
  const others = live.filter(
    ({ id, providerId }) =>
      id !== failedId && providerId !== null && !isDead(observed.certificates.get(id) ?? null),
  );
  return new Set(others.flatMap(({ names }) => names));
}

export function heldBackOf({ domains }: Pick<DesiredGroup, "domains">): readonly Domain[] {
  return domains.filter(({ isHeldBack }) => isHeldBack);
}

function isToBeServed(domain: Domain): boolean {
  return domain.isDesired && domain.status !== "ERROR_ATTACHING" && !domain.isHeldBack;
}

/** Whether a retry would need the same certificate, because the domain failed for another reason. */
function mayBeServed(domain: Domain): boolean {
  return domain.isDesired && domain.lastAttachmentError?.code.startsWith("Cloud:CERT:") !== true;
}
