/**
 * The zone of delegated challenges (RFC 8555, section 8.4): customers set `_acme-challenge.NAME` once, as a CNAME to a
 * name in this zone. It has nothing but its SOA and NS records, and the TXT records of challenges. Pure.
 */
import type { Answer } from "dns-packet";
import { normalizeName } from "../dns/names.ts";
import type { LookUp } from "../dns/dns-server.ts";

/** Resolvers must ask again for each challenge, and for a record that was missing a moment ago. */
const TTL_SECONDS = 1;
const ZONE_TTL_SECONDS = 3_600;
const CHALLENGE = /^[0-9a-f]{32}$/;

export function createChallengeZone(options: {
  readonly zone: string;
  /** A name that leads to this server. */
  readonly nameServer: string;
  readonly textsAt: (name: string) => readonly string[];
}): LookUp {
  const { zone, nameServer, textsAt } = options;
  const soa: Answer = {
    type: "SOA",
    name: zone,
    ttl: TTL_SECONDS,
    data: {
      mname: nameServer,
      rname: `hostmaster.${nameServer}`,
      serial: 1,
      refresh: 3_600,
      retry: 600,
      expire: 86_400,
      minimum: TTL_SECONDS,
    },
  };
  return (asked, type) => {
    const name = normalizeName(asked);
    const has = (wanted: string) => type === wanted || type === "ANY";
    // The owner keeps the case of the question, because some resolvers check it (DNS 0x20).
    const owner = asked.replace(/\.$/, "");
    const negative = (rcode: "NOERROR" | "NXDOMAIN") => ({ rcode, answers: [], authorities: [soa] });
    if (name === zone) {
      const answers: Answer[] = [
        ...(has("SOA") ? [{ ...soa, name: owner, ttl: ZONE_TTL_SECONDS }] : []),
        ...(has("NS") ? [{ type: "NS", name: owner, ttl: ZONE_TTL_SECONDS, data: nameServer } as const] : []),
      ];
      return answers.length > 0 ? { rcode: "NOERROR", answers, authorities: [] } : negative("NOERROR");
    }
    if (!name.endsWith(`.${zone}`)) return null;
    const texts = has("TXT") ? textsAt(name) : [];
    if (texts.length > 0) {
      const answers = texts.map((data) => ({ type: "TXT", name: owner, ttl: TTL_SECONDS, data }) as const);
      return { rcode: "NOERROR", answers, authorities: [] };
    }
    return negative(CHALLENGE.test(name.slice(0, -zone.length - 1)) ? "NOERROR" : "NXDOMAIN");
  };
}
