import type { ObservedCertificate, ObservedDistribution } from "../../cloud/cloud.ts";
import type { CaaRefusal } from "../../dns/dns.ts";
import type { Certificate, Domain } from "./custom-domain.ts";
import { decideGroup } from "./reconcile/decide-group.ts";
import type { DesiredGroup, ObservedGroup } from "./reconcile/group-step.ts";

export const NOW = new Date("2026-01-04T00:00:00Z");
export const HOUR_MS = 3_600_000;

export function domain(name: string, changes: Partial<Domain> = {}): Domain {
  return {
    organizationId: "org_1",
    id: `dom_${name}`,
    groupId: "group_1",
    svcAttachmentId: `att_${name}`,
    name,
    type: "SUBDOMAIN",
    status: "PENDING",
    isDesired: true,
    lastAttachmentError: null,
    delegation: null,
    isApexRefused: false,
    zoneState: null,
    isHeldBack: false,
    redirectTo: null,
    isRedirectLive: true,
    redirectProblem: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

export function certificate(
  id: string,
  names: readonly string[],
  changes: Partial<Certificate> = {},
): Certificate {
  return {
    organizationId: "org_1",
    id,
    groupId: "group_1",
    names,
    status: "PENDING_VALIDATION",
    providerId: `arn:${id}`,
    requestedAt: NOW,
    requestStartedAt: null,
    validationDeadlineAt: new Date(NOW.getTime() + 72 * HOUR_MS),
    issuedAt: null,
    expiresAt: null,
    renewalStatus: null,
    expiryNotifiedDays: null,
    isAbandoned: false,
    createdAt: NOW,
    ...changes,
  };
}

export function observedCertificate(
  id: string,
  names: readonly string[],
  changes: Partial<ObservedCertificate> = {},
): ObservedCertificate {
  return {
    id: `arn:${id}`,
    status: "PENDING_VALIDATION",
    failureReason: null,
    domains: names.map((name) => ({
      name,
      validated: false,
      failed: false,
      record: { name: `_x.${name}`, type: "CNAME", value: "_y.example" },
    })),
    requestedAt: NOW,
    issuedAt: null,
    expiresAt: null,
    renewalStatus: null,
    ...changes,
  };
}

export const CHANGED_AT = new Date("2026-01-01T00:00:00Z");

export function distribution(changes: Partial<ObservedDistribution> = {}): ObservedDistribution {
  return {
    id: "E1",
    domainName: "d1.cdn.example",
    aliases: [],
    certificateId: null,
    enabled: true,
    redirectsKey: null,
    accessKey: null,
    routesKey: null,
    changedAt: CHANGED_AT,
    deployed: true,
    etag: "e1",
    ...changes,
  };
}

export type Case = {
  readonly desired?: Partial<DesiredGroup>;
  readonly observed?: Partial<{
    certificates: Record<string, ObservedCertificate | null>;
    caa: Record<string, CaaRefusal>;
    distribution: ObservedGroup["distribution"];
  }>;
  readonly now?: Date;
};

/** The step for a group in which only what is given differs from an empty one with a distribution. */
export function decide({ desired = {}, observed = {}, now = NOW }: Case) {
  return decideGroup(
    {
      isDeleting: false,
      domains: [],
      certificates: [],
      distribution: { isMade: true, refusal: null },
      replaceNotBefore: null,
      ...desired,
    },
    {
      certificates: new Map(Object.entries(observed.certificates ?? {})),
      caa: new Map(Object.entries(observed.caa ?? {})),
      distribution: observed.distribution ?? distribution(),
    },
    now,
  );
}
