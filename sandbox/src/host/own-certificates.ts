/**
 * Certificates of the server's own names: Slipway's, and the names of distributions below the server's host name
 * (`d….edge.example.com`). Each is requested when its distribution is created, and dropped when it is deleted.
 */
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { Certificates } from "../cdn/certificates.ts";
import type { Distributions } from "../cdn/distributions.ts";
import type { SandboxState } from "../state.ts";

/** Owns these certificates. No account of a connection has this number: theirs have twelve digits. */
export const OWNER = "own";
/** A request that failed or timed out is made again after a day: the operator may have set the DNS record meanwhile. */
const RETRY_MS = 86_400_000;
const WAITING_OR_ISSUED = ["PENDING_VALIDATION", "ISSUED"];

type OwnCertificate = { readonly name: string; readonly certificateId: string };

export type OwnCertificates = {
  pairFor(hostName: string): KeyPair | null;
  isOwn(certificateId: string): boolean;
  stop(): void;
};

export function keepOwnCertificates(options: {
  readonly state: SandboxState;
  readonly certificates: Certificates;
  readonly distributions: Distributions;
  /** Names of the server that do not belong to a distribution. */
  readonly names: readonly string[];
}): OwnCertificates {
  const { state, certificates, distributions } = options;
  const store = state.collection<OwnCertificate>("own-certificates");

  function request(name: string, attempt: number): void {
    const { id } = certificates.request(OWNER, [name], `${name} ${attempt}`);
    store.put(name, { name, certificateId: id });
  }

  function check(): void {
    const names = new Set([...options.names, ...distributions.domainNames()]);
    for (const { name, certificateId } of store.values()) {
      if (names.has(name)) continue;
      store.delete(name);
      certificates.delete(OWNER, certificateId);
    }
    const statuses = new Map(certificates.list(OWNER).map(({ id, status }) => [id, status]));
    for (const name of names) {
      const known = store.get(name);
      const status = known === undefined ? undefined : statuses.get(known.certificateId);
      if (status !== undefined && WAITING_OR_ISSUED.includes(status)) continue;
      if (known !== undefined) certificates.delete(OWNER, known.certificateId);
      request(name, statuses.size + 1);
    }
  }

  check();
  distributions.onChange(check);
  const timer = setInterval(check, RETRY_MS);
  return {
    pairFor: (hostName) => certificates.keyPairFor(store.get(hostName)?.certificateId ?? "", hostName),
    isOwn: (certificateId) => [...store.values()].some((own) => own.certificateId === certificateId),
    stop: () => clearInterval(timer),
  };
}
