/** The look at a name before an order: DNS, CAA, and a request through the edge. No failed validation is used up. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:tls";
import { crypto } from "acme-client";
import { makeAsk } from "../../../src/dns/ask.ts";
import { createAuthority } from "../../../src/dns/authority.ts";
import { type CaaSet, findCaaSet, issuerOf, refusesIssuers } from "../../../src/dns/caa.ts";
import { createDnsClient } from "../../../src/dns/wire/client.ts";
import type { Question } from "../../../src/dns/wire/message.ts";
import { canonicalAddress, type DnsServer, makeRoute } from "../../../src/dns/wire/servers.ts";
import { createZones, recordsAt } from "../../../src/dns/zones.ts";
import { isAtOrBelow, normalizeName } from "../dns/names.ts";
import type { Answers } from "./answers.ts";
import type { Seen } from "./decide-method.ts";

export type EdgePlace = {
  readonly addresses: readonly string[];
  readonly hostname: string;
  /** Where the edge is asked at these addresses. At each address, an answer at one of the ports is enough. */
  readonly httpPorts: readonly number[];
  readonly httpsPorts: readonly number[];
};

export type Look = {
  /** What leads where, and whether the edge answers. Never throws because of DNS or the network. */
  see(name: string, record: { readonly name: string; readonly value: string }): Promise<Seen>;
  /** The CAA records that let none of these issuers issue for a name; null if they do, or cannot be found out now. */
  findCaaRefusal(name: string, issuers: readonly string[]): Promise<CaaSet | null>;
  /** Why a text in the zone of delegated challenges is not found, as a sentence; null if it is. */
  findZoneProblem(zone: string): Promise<string | null>;
  close(): void;
};

const DNS_TIMEOUT_MS = 1_500;
const DNS_DEADLINE_MS = 6_000;
const MAX_QUERIES = 60;
const MAX_CNAME_HOPS = 8;
const PROBE_TIMEOUT_MS = 3_000;
const MAX_PROBE_BYTES = 512;

export function createLook(options: {
  readonly dnsServers: readonly DnsServer[];
  readonly edge: EdgePlace;
  readonly answers: Answers;
}): Look {
  const { edge, answers } = options;
  const resolvers = options.dnsServers.map(({ host, port }) => ({ host: canonicalAddress(host), port }));
  const client = createDnsClient();
  const ask = makeAsk(client, DNS_TIMEOUT_MS);
  const zones = createZones({ ask, resolvers, route: makeRoute(resolvers) });
  const authority = createAuthority({ ask, zones });
  const own = new Set(edge.addresses.map(canonicalAddress));
  const hostname = normalizeName(edge.hostname);

  /** Asks the zones' own servers, so that no cache hides a record that was just set. */
  function newLookUp() {
    const now = performance.now();
    const budget = { deadlineAt: now + DNS_DEADLINE_MS, freshAfter: -Infinity, queriesLeft: MAX_QUERIES };
    return (question: Question) => authority.lookUp(question, budget);
  }

  async function see(name: string, record: { readonly name: string; readonly value: string }): Promise<Seen> {
    const lookUp = newLookUp();
    const isWildcard = name.startsWith("*.");
    const [place, isDelegated] = await Promise.all([
      isWildcard ? { leadsHere: false, addresses: [], failure: null } : lookAtName(name, lookUp),
      isCname(record.name, record.value, lookUp),
    ]);
    const answersHttp =
      place.leadsHere &&
      (await every(place.addresses, (at) => some(edge.httpPorts, (port) => probeHttp(name, at, port))));
    const triesAlpn = place.leadsHere && !answersHttp && !isDelegated;
    const answersAlpn =
      triesAlpn &&
      (await every(place.addresses, (at) => some(edge.httpsPorts, (port) => probeAlpn(name, at, port))));
    return { ...place, isDelegated, answersHttp, answersAlpn };
  }

  async function lookAtName(
    name: string,
    lookUp: ReturnType<typeof newLookUp>,
  ): Promise<Pick<Seen, "leadsHere" | "addresses" | "failure">> {
    let at = name;
    let isByName = false;
    const addresses: string[] = [];
    let failure: string | null = null;
    for (let hop = 0; hop < MAX_CNAME_HOPS; hop += 1) {
      isByName ||= hop > 0 && isAtOrBelow(at, hostname);
      const current = at;
      const found = await Promise.all(
        (["A", "AAAA"] as const).map((type) => lookUp({ name: current, type })),
      );
      let next: string | undefined;
      for (const looked of found) {
        if (looked.kind === "failed") {
          failure = looked.reason;
          continue;
        }
        // A server of this name has no say in the addresses of the next name, which may be the edge's.
        for (const { type, value, name: owner } of looked.records)
          if (owner === current && (type === "A" || type === "AAAA")) addresses.push(canonicalAddress(value));
        next ??= recordsAt(looked.records, current, "CNAME")[0]?.value;
      }
      if (next === undefined || addresses.length > 0) break;
      at = next;
    }
    const all = [...new Set(addresses)];
    const isOurs = all.length > 0 && (isByName || all.every((address) => own.has(address)));
    return { leadsHere: isOurs, addresses: all, failure: all.length === 0 ? failure : null };
  }

  async function isCname(
    name: string,
    value: string,
    lookUp: ReturnType<typeof newLookUp>,
  ): Promise<boolean> {
    const looked = await lookUp({ name, type: "CNAME" });
    return (
      looked.kind === "answered" &&
      recordsAt(looked.records, normalizeName(name), "CNAME").some((found) => found.value === value)
    );
  }

  async function probeHttp(name: string, address: string, port: number): Promise<boolean> {
    const token = randomBytes(24).toString("base64url");
    using _probe = answers.probeHttp(name, token);
    const sent = request({
      host: address,
      port,
      path: `/.well-known/acme-challenge/${token}`,
      headers: { host: name, connection: "close" },
      agent: false,
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    try {
      sent.end();
      const [response] = await once(sent, "response");
      let text = "";
      for await (const chunk of response) {
        text += String(chunk);
        if (text.length > MAX_PROBE_BYTES) return false;
      }
      return response.statusCode === 200 && text.trim() === token;
    } catch {
      // Refused, reset, too slow: it did not arrive here.
      return false;
    } finally {
      sent.destroy();
    }
  }

  async function probeAlpn(name: string, address: string, port: number): Promise<boolean> {
    const keyAuthorization = randomBytes(24).toString("base64url");
    using _probe = await answers.probeAlpn(name, keyAuthorization);
    // The certificate is checked below, as RFC 8737 says; it is self-signed.
    const socket = connect({
      host: address,
      port,
      servername: name,
      ALPNProtocols: ["acme-tls/1"],
      rejectUnauthorized: false,
    });
    try {
      await once(socket, "secureConnect", { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      const certificate = socket.getPeerX509Certificate();
      return (
        socket.alpnProtocol === "acme-tls/1" &&
        certificate !== undefined &&
        crypto.isAlpnCertificateAuthorizationValid(certificate.toString(), keyAuthorization)
      );
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  return {
    see,
    async findCaaRefusal(name, issuers) {
      const set = await findCaaSet(name, newLookUp());
      if (set === null || set.kind === "failed") return null;
      // A CA that does not say how records name it is refused only by records that refuse every CA.
      const wanted = issuers.length > 0 ? issuers : set.records.map(issuerOf);
      return refusesIssuers(set.records, name, wanted.filter(Boolean)) ? set : null;
    },
    async findZoneProblem(zone) {
      const name = `${randomBytes(16).toString("hex")}.${zone}`;
      const text = randomBytes(16).toString("hex");
      using _probe = answers.probeText(name, text);
      const looked = await newLookUp()({ name, type: "TXT" });
      if (looked.kind === "failed") return looked.reason;
      if (recordsAt(looked.records, name, "TXT").some(({ value }) => value === text)) return null;
      return `Names below ${zone} do not lead to the DNS server of this machine.`;
    },
    close: () => client.close(),
  };
}

async function some(ports: readonly number[], test: (port: number) => Promise<boolean>): Promise<boolean> {
  const found = await Promise.all(ports.map(test));
  return found.includes(true);
}

async function every(
  addresses: readonly string[],
  test: (address: string) => Promise<boolean>,
): Promise<boolean> {
  const found = await Promise.all(addresses.slice(0, 4).map(test));
  return found.length > 0 && found.every(Boolean);
}
