import { isAskable } from "../../../src/dns/names.ts";
import { createDnsClient } from "../../../src/dns/wire/client.ts";
import { type DnsRecord, RCODE } from "../../../src/dns/wire/message.ts";
import type { DnsServer } from "../../../src/dns/wire/servers.ts";

/** The resolver of the sandbox's CA and of its DNS provider: it asks one server, by packets like anyone else's. */
export type CaResolver = {
  /** Never answers from memory. @throws Error when no valid answer comes in time */
  ask(name: string, type: "CNAME" | "CAA" | "TXT"): Promise<readonly DnsRecord[]>;
  /** Releases the sockets; nothing may be asked any more. */
  close(): void;
};

const TIMEOUT_MS = 2_000;

export function createCaResolver(server: DnsServer): CaResolver {
  const client = createDnsClient();
  return {
    async ask(name, type) {
      // A name that does not fit into a question has no records.
      if (!isAskable(name)) return [];
      const reply = await client.query(
        server,
        { name, type },
        { recursionDesired: false, timeoutMs: TIMEOUT_MS, deadlineAt: performance.now() + 2 * TIMEOUT_MS },
      );
      if (typeof reply === "string") throw new Error(`The DNS server gave no answer (${reply}).`);
      if (reply.rcode !== RCODE.NOERROR && reply.rcode !== RCODE.NXDOMAIN) {
        throw new Error(`The DNS server answered with code ${reply.rcode}.`);
      }
      return reply.answers;
    },
    close: () => client.close(),
  };
}
