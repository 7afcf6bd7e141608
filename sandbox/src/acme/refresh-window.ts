import { AcmeError } from "./acme-error.ts";
import type { Directory } from "./directories.ts";
import type { NameCertificate, NameState } from "./name-state.ts";
import type { Names } from "./names.ts";

const HOUR_MS = 3_600_000;
const USUAL_REST_MS = 6 * HOUR_MS;
/** No poll is more frequent, whatever the CA says. */
const SHORTEST_REST_MS = 60_000;

/**
 * Asks the CA for the renewal window when it is time to (RFC 9773, 4.3), and keeps it. A failure does not stop the
 * renewal.
 */
export async function refreshWindow(
  { names, now }: { readonly names: Names; readonly now: () => number },
  directory: Directory,
  state: NameState,
  certificate: NameCertificate,
): Promise<NameCertificate> {
  if (certificate.askAt > now() || directory.health().restUntil > now()) return certificate;
  const keep = (changes: Partial<NameCertificate>): NameCertificate => {
    const changed = { ...certificate, ...changes };
    if (names.get(state.id)?.certificate === certificate) names.change(state.id, { certificate: changed });
    return changed;
  };
  if (certificate.renewalId === null) return keep({ askAt: now() + USUAL_REST_MS });
  try {
    const found = await directory.client.renewalInfo(state.name, certificate.renewalId);
    const askAt =
      found.retryAt === null ? now() + USUAL_REST_MS : Math.max(found.retryAt, now() + SHORTEST_REST_MS);
    return keep({ suggestion: found.suggestion ?? certificate.suggestion, askAt });
  } catch (error) {
    if (!(error instanceof AcmeError)) throw error;
    return keep({ askAt: Math.max(error.retryAt ?? 0, now() + HOUR_MS) });
  }
}
