import type { CertificateAuthority, KeyPair } from "../certificates/certificate-authority.ts";
import { type Certificates, createCertificates } from "./certificates.ts";
import { CDN_ZONE } from "../dns/names.ts";
import { ensureDocument, type SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";
import { type Distributions, createDistributions } from "./distributions.ts";

/** Certificates need to know which distributions use them, and distributions what certificates cover. */
export function createCdn(
  state: SandboxState,
  authority: CertificateAuthority,
  tuning: SandboxTuning,
  now: () => number,
): { certificates: Certificates; distributions: Distributions } {
  const distributions = createDistributions({
    state,
    tuning,
    now,
    isCertificateUsable: (id, accountId, aliases) => certificates.isUsable(id, accountId, aliases),
  });
  const certificates = createCertificates({
    state,
    authority,
    tuning,
    now,
    isInUse: (id) => distributions.isCertificateInUse(id),
  });
  return { certificates, distributions };
}

const OWN_CERTIFICATE_VALIDITY_MS = 10 * 365 * 86_400_000;

/** The certificate for the distributions' own names; made once. */
export function ensureOwnCertificate(
  state: SandboxState,
  authority: CertificateAuthority,
  at: Date,
): KeyPair {
  const until = new Date(at.getTime() + OWN_CERTIFICATE_VALIDITY_MS);
  return ensureDocument(state.collection<KeyPair>("edge-certificate"), "own", () =>
    authority.issue([`*.${CDN_ZONE}`], at, until),
  );
}
