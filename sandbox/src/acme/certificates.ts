/**
 * Certificates as their requesters see them, issued by ACME: one request has many names, and each name a certificate of
 * its own. A request is ISSUED when each of its names has one.
 */
import { createHash, randomUUID } from "node:crypto";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { CertificateStatus, ValidationRecord } from "../../../src/cloud/cloud.ts";
import { type Certificates, refuseBadNames } from "../cdn/certificates.ts";
import { nameCovers } from "../dns/names.ts";
import { openOwned, type SandboxState } from "../state.ts";
import type { Seal } from "./directories.ts";
import { bareName, nameId, type NameState } from "./name-state.ts";
import type { Names } from "./names.ts";
import { keySealOf } from "./order.ts";
import { renewAt } from "./renewal.ts";

type Request = {
  readonly id: string;
  readonly accountId: string;
  readonly token: string;
  readonly names: readonly string[];
  readonly requestedAt: number;
  /** When each name had a certificate for the first time. */
  readonly completedAt: number | null;
  readonly failureReason: string | null;
  readonly failed: readonly string[];
};

/** Why a name needs work: for a request that waits, or to be renewed while the edge uses it. */
export type Wanted = "first" | "renewal" | null;

export type AcmeCertificates = Certificates & {
  wanted(nameId: string): Wanted;
  /** The ids of all names that are wanted. */
  listWanted(): ReadonlySet<string>;
  /** Completes the requests for which this name was the last. */
  noteIssued(nameId: string): void;
  /** Fails the requests that wait for this name. */
  fail(nameId: string, reason: string): void;
};

const MAX_NAMES = 100;

/** @param onNames called with the ids of the names of a new request, and of names that no request has any more */
export function createAcmeCertificates(options: {
  readonly state: SandboxState;
  readonly names: Names;
  readonly seal: Seal;
  readonly challengeZone: string;
  readonly validationWindowMs: number;
  readonly now: () => number;
  readonly isInUse: (certificateId: string) => boolean;
  readonly onNames: (wanted: readonly string[], dropped: readonly string[]) => void;
}): AcmeCertificates {
  const { state, names, seal, challengeZone, validationWindowMs, now, isInUse, onNames } = options;
  const requests = openOwned<Request>(state, "acme-requests", ({ token }) => token);
  const idsByName = new Map<string, Set<string>>();
  const idsOf = ({ accountId, names }: Request) => names.map((name) => nameId(accountId, name));
  const index = (request: Request): void => {
    for (const id of idsOf(request)) idsByName.set(id, (idsByName.get(id) ?? new Set()).add(request.id));
  };
  for (const request of requests.values()) index(request);
  const opened = new WeakMap<object, KeyPair>();

  const statesOf = (request: Request) => idsOf(request).map((id) => names.get(id));
  const requestsOf = (id: string): readonly Request[] =>
    [...(idsByName.get(id) ?? [])].flatMap((one) => requests.get(one) ?? []);

  function expiresAt(request: Request): number | null {
    const ends = statesOf(request).flatMap((one) => one?.certificate?.expiresAt ?? []);
    return ends.length === request.names.length ? Math.min(...ends) : null;
  }

  function statusOf(request: Request): CertificateStatus {
    if (request.failureReason !== null) return "FAILED";
    if (request.completedAt !== null) return now() >= (expiresAt(request) ?? 0) ? "EXPIRED" : "ISSUED";
    return now() >= request.requestedAt + validationWindowMs ? "VALIDATION_TIMED_OUT" : "PENDING_VALIDATION";
  }

  function complete(request: Request): void {
    if (statusOf(request) !== "PENDING_VALIDATION") return;
    const end = expiresAt(request);
    if (end !== null && end > now()) requests.put({ ...request, completedAt: now() });
  }

  function openPair({ id, certificate }: NameState): KeyPair | null {
    if (certificate === null) return null;
    const known = opened.get(certificate);
    if (known !== undefined) return known;
    const privateKeyPem = seal.open(certificate.sealedKey, keySealOf(id));
    const pair = { certificatePem: certificate.certificatePem, privateKeyPem };
    opened.set(certificate, pair);
    return pair;
  }

  return {
    request(accountId, wanted, token) {
      const known = requests.byToken(accountId, token);
      if (known !== undefined) return { id: known.id };
      refuseBadNames(wanted, MAX_NAMES);
      const request: Request = {
        // The form that the contract has for ids (cloud.ts).
        id: `arn:aws:acm:us-east-1:${accountId}:certificate/${randomUUID()}`,
        accountId,
        token,
        names: wanted,
        requestedAt: now(),
        completedAt: null,
        failureReason: null,
        failed: [],
      };
      state.atomically(() => {
        requests.put(request);
        for (const name of wanted) {
          const present = names.ensure(accountId, name, now());
          // The wait for its records begins anew.
          if (present.certificate === null) names.change(present.id, { since: now(), notBefore: 0 });
        }
      });
      index(request);
      complete(request);
      onNames(idsOf(request), []);
      return { id: request.id };
    },

    describe(accountId, id) {
      const request = requests.own(accountId, id);
      if (request === undefined) return null;
      const states = statesOf(request);
      const starts = states.flatMap((one) => one?.certificate?.issuedAt ?? []);
      const isIssued = request.completedAt !== null;
      return {
        id,
        status: statusOf(request),
        failureReason: request.failureReason,
        domains: request.names.map((name, at) => ({
          name,
          validated: (states[at]?.certificate ?? null) !== null,
          failed: request.failed.includes(name),
          record: delegationOf(accountId, name, challengeZone),
        })),
        requestedAt: request.requestedAt,
        issuedAt: isIssued && starts.length > 0 ? Math.max(...starts) : null,
        expiresAt: isIssued ? expiresAt(request) : null,
        renewalStatus: isIssued ? renewalStatusOf(states, now(), isInUse(id)) : null,
      };
    },

    delete(accountId, id) {
      const request = requests.own(accountId, id);
      if (request === undefined) return "deleted";
      if (isInUse(id)) return "in-use";
      const dropped = idsOf(request).filter((name) => {
        idsByName.get(name)?.delete(id);
        return idsByName.get(name)?.size === 0;
      });
      state.atomically(() => {
        requests.delete(request);
        for (const name of dropped) names.delete(name);
      });
      for (const name of dropped) idsByName.delete(name);
      onNames([], dropped);
      return "deleted";
    },

    list: (accountId) =>
      requests.list(accountId).map((request) => ({
        id: request.id,
        names: request.names,
        status: statusOf(request),
        failureReason: request.failureReason,
      })),

    isUsable(id, accountId, aliases) {
      const request = requests.own(accountId, id);
      return (
        request !== undefined &&
        statusOf(request) === "ISSUED" &&
        aliases.every((alias) => request.names.some((name) => nameCovers(name, alias)))
      );
    },

    keyPairFor(id, hostName) {
      const request = requests.get(id);
      if (request === undefined) return null;
      // The exact name before a wildcard.
      const covering = request.names
        .filter((name) => nameCovers(name, hostName))
        .toSorted((a, b) => Number(b === hostName) - Number(a === hostName));
      for (const name of covering) {
        const known = names.get(nameId(request.accountId, name));
        const pair = known === undefined ? null : openPair(known);
        if (pair !== null) return pair;
      }
      return null;
    },

    wanted(id) {
      const all = requestsOf(id);
      if (all.some((request) => statusOf(request) === "PENDING_VALIDATION")) return "first";
      return all.some((request) => request.completedAt !== null && isInUse(request.id)) ? "renewal" : null;
    },

    listWanted() {
      const found = new Set<string>();
      for (const request of requests.values()) {
        const isRenewed = request.completedAt !== null && isInUse(request.id);
        if (!isRenewed && statusOf(request) !== "PENDING_VALIDATION") continue;
        for (const id of idsOf(request)) found.add(id);
      }
      return found;
    },

    noteIssued(id) {
      for (const request of requestsOf(id)) complete(request);
    },

    fail(id, reason) {
      const name = names.get(id)?.name;
      for (const request of requestsOf(id)) {
        if (name === undefined || statusOf(request) !== "PENDING_VALIDATION") continue;
        requests.put({ ...request, failureReason: reason, failed: [name] });
      }
    },
  };
}

/**
 * The record that a customer sets once, if the name does not lead to the edge yet or is a wildcard. It depends only on
 * the account and the name, so it is valid for every later request.
 */
export function delegationOf(accountId: string, name: string, challengeZone: string): ValidationRecord {
  const bare = bareName(name);
  const label = createHash("sha256").update(`${accountId}/${bare}`).digest("hex").slice(0, 32);
  return { name: `_acme-challenge.${bare}`, type: "CNAME", value: `${label}.${challengeZone}` };
}

/** ACM's words (`ObservedCertificate.renewalStatus`). Pure. */
export function renewalStatusOf(
  states: readonly (NameState | undefined)[],
  now: number,
  isInUse: boolean,
): string | null {
  const certified = states.flatMap((one) => {
    const { certificate = null, error = null } = one ?? {};
    return certificate === null ? [] : [{ certificate, error }];
  });
  const due = certified.filter(
    ({ certificate }) => isInUse && renewAt(certificate, certificate.suggestion, certificate.share) <= now,
  );
  const hasError = (...types: readonly string[]) =>
    due.some(({ error }) => error !== null && types.includes(error.type));
  if (hasError("caa", "rejectedIdentifier", "unsupportedIdentifier")) return "FAILED";
  if (hasError("notPointedHere", "edgeNotReached", "lookUpFailed")) return "PENDING_VALIDATION";
  if (due.length > 0) return "PENDING_AUTO_RENEWAL";
  return certified.some(({ certificate }) => certificate.isRenewed) ? "SUCCESS" : null;
}
