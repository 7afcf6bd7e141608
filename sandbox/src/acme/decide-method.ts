/** How control of a name can be proven now, from what DNS and the edge show. Pure. */

export type ChallengeType = "http-01" | "tls-alpn-01" | "dns-01";

/** What the checks before an order saw. */
export type Seen = {
  /** The end of the CNAME chain is at or below the edge's host name, or all addresses are the edge's. */
  readonly leadsHere: boolean;
  readonly addresses: readonly string[];
  /** A request of ours on the port for HTTP came to our edge; on the port for HTTPS, with tls-alpn-01. */
  readonly answersHttp: boolean;
  readonly answersAlpn: boolean;
  /** `_acme-challenge` leads to the text that Slipway serves. */
  readonly isDelegated: boolean;
  /** Why the look-up failed, as a sentence; null if it did not. */
  readonly failure: string | null;
};

export type Method =
  | { readonly method: ChallengeType }
  /** A sentence that says what is missing. */
  | { readonly waitFor: string; readonly type: "notPointedHere" | "edgeNotReached" | "lookUpFailed" };

/**
 * @param failed the challenge that the CA's last check did not accept: another possible one comes first
 */
export function chooseMethod(
  name: string,
  seen: Seen,
  failed: ChallengeType | null,
  record: { readonly name: string; readonly value: string },
  hostname: string,
): Method {
  const isWildcard = name.startsWith("*.");
  const possible: ChallengeType[] = [];
  if (!isWildcard && seen.answersHttp) possible.push("http-01");
  if (!isWildcard && !seen.answersHttp && seen.answersAlpn) possible.push("tls-alpn-01");
  if (seen.isDelegated) possible.push("dns-01");
  const [method] = possible.toSorted((a, b) => Number(a === failed) - Number(b === failed));
  if (method !== undefined) return { method };
  if (seen.failure !== null) return { waitFor: seen.failure, type: "lookUpFailed" };
  const delegate = `set ${record.name} as a CNAME to ${record.value}`;
  if (isWildcard)
    return {
      waitFor: `A wildcard needs its validation record: ${delegate}.`,
      type: "notPointedHere",
    };
  if (seen.leadsHere)
    return {
      waitFor: `${name} leads to this edge, but a request to it did not arrive here. Open ports 80 and 443 of this server, on every address of the name; or ${delegate}.`,
      type: "edgeNotReached",
    };
  const found = seen.addresses.length === 0 ? "has no address" : `leads to ${seen.addresses.join(", ")}`;
  return {
    waitFor: `${name} ${found}, not to this edge. Point it to ${hostname}, or ${delegate}.`,
    type: "notPointedHere",
  };
}

const SECOND_MS = 1_000;
const LONGEST_REST_MS = 300_000;

/** How long to wait before looking at a name's records again: short while the wait is short. */
export function restBeforeLook(waitedMs: number): number {
  return Math.min(LONGEST_REST_MS, Math.max(SECOND_MS, waitedMs / 60));
}

/** The pause after failed tries: 5 s, then four times as long each time, up to six hours. */
export function restAfterFailure(failures: number): number {
  return Math.min(6 * 3_600_000, 5_000 * 4 ** Math.max(0, failures - 1));
}
