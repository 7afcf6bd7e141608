/**
 * Certificates as AWS Certificate Manager keeps them.
 *
 * | status             | reached when                                              |
 * |--------------------|-----------------------------------------------------------|
 * | PENDING_VALIDATION | requested                                                 |
 * | ISSUED             | every name's validation record is found and CAA allows it |
 * | FAILED             | CAA refuses, or the CA does not issue for a name          |
 * | VALIDATION_TIMED_OUT | the validation window passed                            |
 * | EXPIRED            | it was not renewed before its end                         |
 *
 * States that only depend on time are computed when read, so that no timer must survive a restart.
 */
import { createHash, randomUUID } from "node:crypto";
import type { CertificateStatus } from "../../../src/cloud/cloud.ts";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { CertificateAuthority } from "../certificates/certificate-authority.ts";
import { isAtOrBelow, isHostName, nameCovers, VALIDATION_ZONE } from "../dns/names.ts";
import type { CertificateMessage } from "../protocol.ts";
import { invalid, Refusal } from "../refusal.ts";
import { openOwned, type SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";

export type StoredCertificate = {
  readonly id: string;
  readonly accountId: string;
  readonly token: string;
  readonly names: readonly string[];
  readonly requestedAt: number;
  /** Names whose validation record was found. */
  readonly validated: readonly string[];
  readonly failureReason: string | null;
  /** The names that are the reason; missing in certificates of earlier releases. */
  readonly failed?: readonly string[];
  readonly issued: {
    readonly certificatePem: string;
    readonly privateKeyPem: string;
    readonly issuedAt: number;
    readonly expiresAt: number;
  } | null;
  readonly renewalStatus: string | null;
};

/** A requested certificate, as lists show it. */
export type CertificateSummary = {
  readonly id: string;
  readonly names: readonly string[];
  readonly status: CertificateStatus;
  readonly failureReason: string | null;
};

/** The certificates of all accounts, whichever CA issues them. */
export type Certificates = {
  /** The same token always gives the same certificate. @throws Refusal */
  request(accountId: string, names: readonly string[], token: string): { id: string };
  describe(accountId: string, id: string): CertificateMessage | null;
  delete(accountId: string, id: string): "deleted" | "in-use";
  list(accountId: string): readonly CertificateSummary[];
  /** Whether an alias may use this certificate now: it is issued, of this account, and covers the name. */
  isUsable(id: string, accountId: string, aliases: readonly string[]): boolean;
  /** What the edge presents for a host name that uses this certificate; null if there is none. */
  keyPairFor(id: string, hostName: string): KeyPair | null;
};

/** The sandbox's own engine: its CA issues once the validation records are found. */
export type SandboxCertificates = Certificates & {
  get(id: string): StoredCertificate | undefined;
  all(): Iterable<StoredCertificate>;
  statusOf(certificate: StoredCertificate): CertificateStatus;
  /**
   * Records the result of a validation; issues or fails the certificate if the result is complete.
   * @param refused the names whose CAA records refuse the CA
   */
  recordValidation(id: string, validated: readonly string[], refused: readonly string[]): void;
  /** Issues the certificate again with a later end, or records that a validation record is missing. */
  recordRenewal(id: string, areRecordsPresent: boolean): void;
  onRequested(listener: (certificate: StoredCertificate) => void): void;
};

const MAX_NAMES = 100;
const MAX_FIRST_NAME_OCTETS = 64;
const YEAR_MS = 365 * 86_400_000;

export function createCertificates(options: {
  state: SandboxState;
  authority: CertificateAuthority;
  tuning: SandboxTuning;
  now: () => number;
  isInUse: (certificateId: string) => boolean;
}): SandboxCertificates {
  const { state, authority, tuning, now, isInUse } = options;
  const store = openOwned<StoredCertificate>(state, "certificates", ({ token }) => token);
  const requests = state.collection<{ accountId: string; at: number }>("certificate-requests");
  const listeners: ((certificate: StoredCertificate) => void)[] = [];

  function statusOf(certificate: StoredCertificate): CertificateStatus {
    if (certificate.failureReason !== null) return "FAILED";
    if (certificate.issued !== null) {
      return now() >= certificate.issued.expiresAt ? "EXPIRED" : "ISSUED";
    }
    return now() >= certificate.requestedAt + tuning.validationWindowMs
      ? "VALIDATION_TIMED_OUT"
      : "PENDING_VALIDATION";
  }

  function issue(certificate: StoredCertificate): StoredCertificate {
    const issuedAt = now();
    const expiresAt = issuedAt + tuning.certificateValidityMs;
    const pair = authority.issue(certificate.names, new Date(issuedAt), new Date(expiresAt));
    return { ...certificate, issued: { ...pair, issuedAt, expiresAt } };
  }

  return {
    request(accountId, names, token) {
      const known = store.byToken(accountId, token);
      if (known !== undefined) return { id: known.id };
      refuseBadNames(names, tuning.certificateNamesQuota);
      const at = now();
      const recent = [...requests.values()].filter(
        (one) => one.accountId === accountId && one.at > at - YEAR_MS,
      );
      if (recent.length >= tuning.certificateRequestsPerYear) {
        throw new Refusal(
          "limit",
          "CERTIFICATE_REQUEST_QUOTA",
          `The account has used its ${tuning.certificateRequestsPerYear} certificate requests per year.`,
        );
      }
      const failed = names.filter((name) => tuning.domainsNotAllowed.some((zone) => isAtOrBelow(name, zone)));
      const certificate: StoredCertificate = {
        id: `arn:aws:acm:us-east-1:${accountId}:certificate/${randomUUID()}`,
        accountId,
        token,
        names,
        requestedAt: at,
        validated: [],
        failureReason: failed.length > 0 ? "DOMAIN_NOT_ALLOWED" : null,
        failed,
        issued: null,
        renewalStatus: null,
      };
      state.atomically(() => {
        store.put(certificate);
        requests.put(certificate.id, { accountId, at });
      });
      for (const listener of listeners) listener(certificate);
      return { id: certificate.id };
    },

    describe(accountId, id) {
      const certificate = store.own(accountId, id);
      if (certificate === undefined) return null;
      const ageMs = now() - certificate.requestedAt;
      if (ageMs < tuning.describeLagMs) return null;
      const areRecordsKnown = ageMs >= tuning.recordDelayMs;
      return {
        id,
        status: statusOf(certificate),
        failureReason: certificate.failureReason,
        domains: certificate.names.map((name) => ({
          name,
          validated: certificate.validated.includes(name),
          failed: certificate.failed?.includes(name) ?? false,
          record: areRecordsKnown ? validationRecordOf(accountId, name) : null,
        })),
        requestedAt: certificate.requestedAt,
        issuedAt: certificate.issued?.issuedAt ?? null,
        expiresAt: certificate.issued?.expiresAt ?? null,
        renewalStatus: certificate.renewalStatus,
      };
    },

    delete(accountId, id) {
      const certificate = store.own(accountId, id);
      if (certificate === undefined) return "deleted";
      if (isInUse(id)) return "in-use";
      store.delete(certificate);
      return "deleted";
    },

    get: (id) => store.get(id),
    list: (accountId) =>
      store.list(accountId).map((certificate) => ({
        id: certificate.id,
        names: certificate.names,
        status: statusOf(certificate),
        failureReason: certificate.failureReason,
      })),
    all: () => store.values(),
    statusOf,

    isUsable(id, accountId, aliases) {
      const certificate = store.own(accountId, id);
      return (
        certificate !== undefined &&
        statusOf(certificate) === "ISSUED" &&
        aliases.every((alias) => certificate.names.some((name) => nameCovers(name, alias)))
      );
    },

    keyPairFor: (id) => store.get(id)?.issued ?? null,

    recordValidation(id, validated, refused) {
      const certificate = store.get(id);
      // It was deleted, or has failed or timed out, during the DNS check.
      if (certificate === undefined || statusOf(certificate) !== "PENDING_VALIDATION") return;
      const checked = { ...certificate, validated };
      const isComplete = certificate.names.every((name) => validated.includes(name));
      if (isComplete && refused.length > 0)
        store.put({ ...checked, failureReason: "CAA_ERROR", failed: refused });
      else if (isComplete) store.put(issue(checked));
      else if (validated.length > certificate.validated.length) store.put(checked);
    },

    recordRenewal(id, areRecordsPresent) {
      const certificate = store.get(id);
      if (certificate === undefined || statusOf(certificate) !== "ISSUED") return;
      if (areRecordsPresent) store.put({ ...issue(certificate), renewalStatus: "SUCCESS" });
      else if (certificate.renewalStatus !== "PENDING_VALIDATION") {
        store.put({ ...certificate, renewalStatus: "PENDING_VALIDATION" });
      }
    },

    onRequested: (listener) => void listeners.push(listener),
  };
}

/**
 * The record that proves control of a name. It depends only on name and account, so that a record
 * set once is valid for every later request. A wildcard is proven by the name below it, as with ACM.
 */
export function validationRecordOf(
  accountId: string,
  name: string,
): { readonly name: string; readonly type: "CNAME"; readonly value: string } {
  const bare = name.replace(/^\*\./, "");
  const hash = createHash("sha256").update(`${accountId}/${bare}`).digest("hex");
  return {
    name: `_${hash.slice(0, 32)}.${bare}`,
    type: "CNAME",
    value: `_${hash.slice(32)}.${VALIDATION_ZONE}`,
  };
}

/** ACM's rules for the names of one certificate. @throws Refusal */
export function refuseBadNames(names: readonly string[], namesQuota: number): void {
  const [first = ""] = names;
  const quota = Math.min(namesQuota, MAX_NAMES);
  if (names.length > quota) {
    throw new Refusal(
      "limit",
      "CERTIFICATE_NAMES_LIMIT",
      `A certificate of this account may have at most ${quota} names; ${names.length} were requested.`,
    );
  }
  if (new Set(names).size < names.length || !names.every(isHostName)) {
    throw invalid("Every name must be a host name and appear only once.");
  }
  if (first.length > MAX_FIRST_NAME_OCTETS) {
    throw new Refusal(
      "invalid",
      "FIRST_NAME_TOO_LONG",
      `The first name of a certificate may have at most ${MAX_FIRST_NAME_OCTETS} octets; all of the names are longer.`,
    );
  }
}
