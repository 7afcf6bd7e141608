/** How the CAs, the orders and the certificates are doing. */
import type { Directory } from "./directories.ts";
import type { AcmeCertificates } from "./certificates.ts";
import type { ChallengeType } from "./decide-method.ts";
import type { NameError } from "./name-state.ts";
import type { Names } from "./names.ts";
import { renewAt } from "./renewal.ts";
import type { BudgetLeft, UseLog } from "./uses.ts";

/** Times are milliseconds since 1970. */
export type AcmeStatus = {
  /** The first CA, then the second. */
  readonly directories: readonly {
    readonly url: string;
    /** Failures in a row, and the last of them; null while it works. */
    readonly failures: number;
    readonly error: NameError | null;
    /** Not asked before; 0 if it is asked. */
    readonly restUntil: number;
    /** How far this machine's clock is ahead; null before the first answer. */
    readonly clockAheadMs: number | null;
    /** Of the limits that are known; empty if the CA's are not. */
    readonly budgets: readonly BudgetLeft[];
  }[];
  readonly orders: readonly {
    readonly accountId: string;
    readonly name: string;
    readonly directory: string;
    readonly method: ChallengeType;
    readonly startedAt: number;
    readonly error: NameError | null;
  }[];
  /** Names without an order under way whose last try failed, or that wait for their records. */
  readonly waiting: readonly {
    readonly accountId: string;
    readonly name: string;
    readonly since: number;
    readonly error: NameError;
    /** False: it was refused for good, or its time has passed, and nothing is tried. */
    readonly isWanted: boolean;
  }[];
  /** Those in use. The first to expire comes first. */
  readonly certificates: readonly {
    readonly accountId: string;
    readonly name: string;
    readonly directory: string;
    readonly issuedAt: number;
    readonly expiresAt: number;
    readonly renewAt: number;
    readonly error: NameError | null;
  }[];
};

export function readStatus(parts: {
  readonly names: Names;
  readonly certificates: Pick<AcmeCertificates, "listWanted">;
  readonly directories: readonly Directory[];
  readonly uses: UseLog;
  readonly now: () => number;
}): AcmeStatus {
  const { names, directories, uses, now } = parts;
  const orders: AcmeStatus["orders"][number][] = [];
  const waiting: AcmeStatus["waiting"][number][] = [];
  const certificates: AcmeStatus["certificates"][number][] = [];
  const wanted = parts.certificates.listWanted();
  for (const { id, accountId, name, order, certificate, error, since } of names.values()) {
    const isWanted = wanted.has(id);
    if (order !== null) {
      const { directory, method, startedAt } = order;
      orders.push({ accountId, name, directory, method, startedAt, error });
    } else if (error !== null) waiting.push({ accountId, name, since, error, isWanted });
    if (certificate !== null && isWanted) {
      const { directory, issuedAt, expiresAt, suggestion, share } = certificate;
      certificates.push({
        accountId,
        name,
        directory,
        issuedAt,
        expiresAt,
        renewAt: renewAt(certificate, suggestion, share),
        error,
      });
    }
  }
  return {
    directories: directories.map((directory) => {
      const { url, client, limits } = directory;
      const { failures, error, restUntil } = directory.health();
      return {
        url,
        failures,
        error,
        restUntil,
        clockAheadMs: client.aheadMs(),
        budgets: limits === null ? [] : uses.left(url, limits, now()),
      };
    }),
    orders,
    waiting,
    certificates: certificates.toSorted((a, b) => a.expiresAt - b.expiresAt),
  };
}
