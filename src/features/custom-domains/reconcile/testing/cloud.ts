/**
 * A small model of a cloud that follows the provider's rules for certificates and distributions, gives the
 * answers that a test sets, and records every rule that its caller breaks.
 */
import type { Clock } from "../../../../lib/clock.ts";
import {
  type ObservedCertificate,
  type CertificateStatus,
  type Cloud,
  CloudError,
  type CloudErrorCode,
  type CloudErrorKind,
  type ObservedDistribution,
  type DistributionUpdate,
  type ZoneRecord,
} from "../../../../cloud/cloud.ts";
import { type Redirects, redirectsKeyOf } from "../../../../cloud/redirects.ts";

export const ANSWERS = ["ok", "lost", "throttled", "unavailable", "denied"] as const;
export type Answer = (typeof ANSWERS)[number];

type ModelCertificate = {
  readonly id: string;
  readonly token: string;
  readonly names: readonly string[];
  readonly requestedAt: Date;
  status: CertificateStatus;
  failureReason: string | null;
  issuedAt: Date | null;
  renewalStatus: string | null;
  /** Until then it is reported as in use, although no distribution has it. */
  heldUntil: Date;
};

type ModelDistribution = {
  readonly id: string;
  readonly token: string;
  aliases: readonly string[];
  certificateId: string | null;
  enabled: boolean;
  redirects: Redirects;
  liveAt: Date;
  version: number;
};

export const NAME_SERVER = "ns1.zone.example";
const WINDOW_MS = 72 * 3_600_000;
const RECORDS_AFTER_MS = 2_000;
const HELD_MS = 7_000;

export type ModelCloud = {
  readonly cloud: Cloud;
  readonly certificates: Map<string, ModelCertificate>;
  readonly distributions: Map<string, ModelDistribution>;
  /** The results of the next calls; `ok` if it is empty. */
  readonly script: Answer[];
  /** The outside world: names whose record is set, whose CAA refuses, or that are on other distributions. */
  readonly world: {
    recordsOf: Set<string>;
    refusedByCaa: Set<string>;
    elsewhere: Set<string>;
    deployMs: number;
    /** Until then, calls of the account's one zone are refused. */
    zoneThrottledUntil: Date;
    /** Calls of the zone for these names are refused. */
    throttledNames: Set<string>;
  };
  /** In the order of their creation. */
  readonly zoneRecords: ZoneRecord[];
  readonly hooks: {
    /** Called before the next call is answered. */
    beforeAnswer: (() => Promise<void>) | null;
    /** Called after the call has taken effect. */
    afterEffect: (() => void) | null;
    /** Gets the names that an update removes. */
    onTakenOff: (names: readonly string[]) => Promise<void>;
  };
  /** An actor outside Slipway deletes all unused certificates at the provider. */
  loseUnused(): void;
  /** Rules, of the provider or ours, that a call has broken. */
  readonly breaches: string[];
};

export function createModelCloud(clock: Clock, namesQuota: number): ModelCloud {
  const certificates: ModelCloud["certificates"] = new Map();
  const distributions: ModelCloud["distributions"] = new Map();
  const tokensUsed = new Set<string>();
  const script: Answer[] = [];
  const breaches: string[] = [];
  const world: ModelCloud["world"] = {
    recordsOf: new Set(),
    refusedByCaa: new Set(),
    elsewhere: new Set(),
    deployMs: 1_000,
    zoneThrottledUntil: clock.now(),
    throttledNames: new Set(),
  };
  const zoneRecords: ZoneRecord[] = [];
  const hooks: ModelCloud["hooks"] = {
    beforeAnswer: null,
    afterEffect: null,
    onTakenOff: () => Promise.resolve(),
  };
  let count = 0;

  async function answer<T>(operation: string, isChange: boolean, work: () => T | Promise<T>): Promise<T> {
    const before = hooks.beforeAnswer;
    hooks.beforeAnswer = null;
    await before?.();
    const kind = script.shift() ?? "ok";
    const refuse = (errorKind: CloudErrorKind, code: CloudErrorCode): never => {
      throw new CloudError(errorKind, code, operation, `The model says ${code}.`);
    };
    if (kind === "throttled") return refuse("retryable", "THROTTLED");
    if (kind === "unavailable") return refuse("retryable", "UNAVAILABLE");
    if (kind === "denied") return refuse("denied", "ACCESS_DENIED");
    if (!isChange) return kind === "lost" ? refuse("retryable", "TIMEOUT") : await work();
    const done = await work();
    hooks.afterEffect?.();
    return kind === "lost" ? refuse("retryable", "TIMEOUT") : done;
  }
  function refuse(kind: CloudErrorKind, code: CloudErrorCode, operation: string): never {
    throw new CloudError(kind, code, operation, `The model says ${code}.`);
  }

  const areRecordsKnown = ({ requestedAt }: ModelCertificate): boolean =>
    clock.now().getTime() - requestedAt.getTime() >= RECORDS_AFTER_MS;

  /** The provider checks the DNS on its own. */
  function validate(certificate: ModelCertificate): void {
    if (certificate.status !== "PENDING_VALIDATION") return;
    const now = clock.now();
    if (areRecordsKnown(certificate) && certificate.names.every((name) => world.recordsOf.has(name))) {
      const isRefused = certificate.names.some((name) => world.refusedByCaa.has(name));
      certificate.status = isRefused ? "FAILED" : "ISSUED";
      certificate.failureReason = isRefused ? "CAA_ERROR" : null;
      certificate.issuedAt = isRefused ? null : now;
    } else if (now.getTime() - certificate.requestedAt.getTime() >= WINDOW_MS) {
      certificate.status = "VALIDATION_TIMED_OUT";
    }
  }

  const isOn = (id: string): boolean =>
    [...distributions.values()].some(({ certificateId }) => certificateId === id);

  function observedCertificate(certificate: ModelCertificate): ObservedCertificate {
    validate(certificate);
    const { id, status, failureReason, requestedAt, issuedAt, renewalStatus } = certificate;
    const domains = certificate.names.map((name) => ({
      name,
      validated: world.recordsOf.has(name),
      // The model does not say which name it refuses.
      failed: false,
      record: areRecordsKnown(certificate)
        ? ({ name: `_x.${name}`, type: "CNAME", value: `_y.${name}.example` } as const)
        : null,
    }));
    return { id, status, failureReason, domains, requestedAt, issuedAt, expiresAt: null, renewalStatus };
  }

  function seenDistribution(distribution: ModelDistribution): ObservedDistribution {
    const { id, aliases, certificateId, enabled, redirects, liveAt, version } = distribution;
    return {
      id,
      domainName: `${id.toLowerCase()}.cdn.example`,
      aliases: aliases.toSorted(),
      certificateId,
      enabled,
      redirectsKey: redirectsKeyOf(redirects),
      accessKey: null,
      routesKey: null,
      changedAt: new Date(liveAt.getTime() - world.deployMs),
      deployed: clock.now() >= liveAt,
      etag: `${id}-${version}`,
    };
  }

  async function update(
    distribution: ModelDistribution,
    wanted: DistributionUpdate,
  ): Promise<ObservedDistribution> {
    const operation = "distributions.update";
    if (wanted.etag !== seenDistribution(distribution).etag) refuse("retryable", "STALE_ETAG", operation);
    const certificate = wanted.certificateId === null ? null : certificates.get(wanted.certificateId);
    const added = wanted.aliases.filter((name) => !distribution.aliases.includes(name));
    const isNew = added.length > 0 || wanted.certificateId !== distribution.certificateId;
    const isIssued = certificate?.status === "ISSUED" || (!isNew && certificate !== undefined);
    const uncovered = wanted.aliases.filter((name) => certificate?.names.includes(name) !== true);
    if (uncovered.length > 0) breaches.push(`${uncovered.join()} without a certificate that covers it`);
    if (wanted.aliases.length > 0 && !isIssued) {
      breaches.push(`${wanted.aliases.join()} on a certificate that is ${certificate?.status ?? "gone"}`);
      refuse("invalid", "CERTIFICATE_UNUSABLE", operation);
    }
    if (added.some((name) => world.elsewhere.has(name))) refuse("invalid", "ALIAS_IN_USE", operation);
    if (wanted.enabled)
      await hooks.onTakenOff(distribution.aliases.filter((name) => !wanted.aliases.includes(name)));
    const before = certificates.get(distribution.certificateId ?? "");
    if (before !== undefined && before !== certificate)
      before.heldUntil = new Date(clock.now().getTime() + HELD_MS);
    distribution.aliases = wanted.aliases;
    distribution.certificateId = wanted.certificateId;
    distribution.enabled = wanted.enabled;
    distribution.redirects = wanted.redirects ?? distribution.redirects;
    distribution.version += 1;
    distribution.liveAt = new Date(clock.now().getTime() + world.deployMs);
    return seenDistribution(distribution);
  }

  function answerOfZone<T>(
    operation: string,
    names: readonly string[],
    isChange: boolean,
    work: () => T,
  ): Promise<T> {
    const isThrottled = (): boolean =>
      clock.now() < world.zoneThrottledUntil || names.some((name) => world.throttledNames.has(name));
    return answer(operation, isChange, () =>
      isThrottled() ? refuse("retryable", "THROTTLED", operation) : work(),
    );
  }
  const namesOf = (records: readonly ZoneRecord[]): readonly string[] => records.map(({ name }) => name);

  const unused = (): never => {
    throw new Error("Domains have no business with this part of the cloud.");
  };
  const cloud: Cloud = {
    kind: "sandbox",
    caaIssuers: () => Promise.resolve(["amazon.com"]),
    servesRepositories: false,
    sleeps: true,
    readsOtherSecrets: true,
    keepsLogsByDays: true,
    scalesInstances: true,
    cachesAnswers: true,
    buildsDockerfiles: true,
    runsImages: true,
    joinsValues: true,
    createsStores: [],
    sizesStores: true,
    provesByConnection: false,
    stackFor: unused,
    identity: { verify: unused, missingPermissions: unused },
    zones: {
      find: (_account, zone) =>
        answerOfZone("zones.find", [], false, () => [{ id: `Z-${zone}`, nameServers: [NAME_SERVER] }]),
      look: (_account, _zone, names) =>
        answerOfZone("zones.look", names, false, () =>
          names.map((name) =>
            zoneRecords.flatMap((one) => (one.name === name ? { type: one.type, values: [one.value] } : [])),
          ),
        ),
      create: (_account, _zone, records) =>
        answerOfZone("zones.create", namesOf(records), true, () => {
          const isThere = records.some(({ name }) => zoneRecords.some((one) => one.name === name));
          if (isThere) refuse("invalid", "RECORD_CONFLICT", "zones.create");
          zoneRecords.push(...records);
          for (const { name } of records) world.recordsOf.add(name.replace(/^_x\./, ""));
        }),
      delete: (_account, _zone, records) =>
        answerOfZone("zones.delete", namesOf(records), true, () => {
          for (const { name } of records) {
            const index = zoneRecords.findIndex((one) => one.name === name);
            if (index === -1) refuse("invalid", "RECORD_CONFLICT", "zones.delete");
            zoneRecords.splice(index, 1);
          }
        }),
    },
    parameters: { put: unused, delete: unused },
    secrets: { put: unused, delete: unused },
    certificates: {
      request: (_account, { names, token }) =>
        answer("certificates.request", true, () => {
          const known = [...certificates.values()].find((certificate) => certificate.token === token);
          if (known !== undefined) return { id: known.id };
          if (names.length > namesQuota) refuse("limit", "CERTIFICATE_NAMES_LIMIT", "certificates.request");
          if (tokensUsed.has(token)) breaches.push(`the token ${token} requested a second certificate`);
          tokensUsed.add(token);
          count += 1;
          const id = `arn:${count}`;
          const now = clock.now();
          certificates.set(id, {
            id,
            token,
            names,
            requestedAt: now,
            status: "PENDING_VALIDATION",
            failureReason: null,
            issuedAt: null,
            renewalStatus: null,
            heldUntil: now,
          });
          return { id };
        }),
      describe: (_account, id) =>
        answer("certificates.describe", false, () => {
          const certificate = certificates.get(id);
          return certificate === undefined ? null : observedCertificate(certificate);
        }),
      list: () =>
        answer("certificates.list", false, () =>
          [...certificates.values()].flatMap(({ id, names, status }) =>
            status === "PENDING_VALIDATION" || status === "ISSUED" ? [{ id, names }] : [],
          ),
        ),
      delete: (_account, id) =>
        answer("certificates.delete", true, () => {
          const certificate = certificates.get(id);
          if (certificate === undefined) return "deleted";
          if (isOn(id) || clock.now() < certificate.heldUntil) return "in-use";
          certificates.delete(id);
          return "deleted";
        }),
    },
    distributions: {
      create: (_account, { token }) =>
        answer("distributions.create", true, () => {
          const known = [...distributions.values()].find((distribution) => distribution.token === token);
          if (known !== undefined) return seenDistribution(known);
          count += 1;
          const liveAt = new Date(clock.now().getTime() + world.deployMs);
          const made = {
            id: `E${count}`,
            token,
            aliases: [],
            certificateId: null,
            enabled: true,
            redirects: {},
            liveAt,
            version: 1,
          };
          distributions.set(made.id, made);
          return seenDistribution(made);
        }),
      describe: (_account, id) =>
        answer("distributions.describe", false, () => {
          const distribution = distributions.get(id);
          return distribution === undefined ? null : seenDistribution(distribution);
        }),
      update: (_account, id, wanted) =>
        answer("distributions.update", true, () => {
          const distribution = distributions.get(id);
          return distribution === undefined
            ? refuse("gone", "NOT_FOUND", "distributions.update")
            : update(distribution, wanted);
        }),
      invalidate: (_account, _id, { token }) => Promise.resolve({ id: token, isComplete: true }),
      describeInvalidation: (_account, _id, id) => Promise.resolve({ id, isComplete: true }),
      forgetRedirects: () => answer("distributions.forgetRedirects", true, () => undefined),
      delete: (_account, id, etag) =>
        answer("distributions.delete", true, () => {
          const distribution = distributions.get(id);
          if (distribution === undefined) return "deleted";
          const observed = seenDistribution(distribution);
          if (observed.etag !== etag) refuse("retryable", "STALE_ETAG", "distributions.delete");
          if (distribution.enabled || !observed.deployed) return "not-ready";
          distributions.delete(id);
          return "deleted";
        }),
      traffic: () => answer("distributions.traffic", false, () => null),
    },
  };
  return {
    cloud,
    certificates,
    distributions,
    script,
    world,
    zoneRecords,
    hooks,
    loseUnused() {
      for (const { id, token } of certificates.values()) {
        if (isOn(id)) continue;
        certificates.delete(id);
        tokensUsed.delete(token);
      }
    },
    breaches,
  };
}
