import {
  decodeReply,
  encodeQuery,
  isTruncated,
  type QueryFlags,
  type Question,
  RCODE,
  type Reply,
} from "./message.ts";
import type { DnsServer } from "./servers.ts";
import { createTcp } from "./tcp.ts";
import { createUdp } from "./udp.ts";

/** `tcp-failed`: the answer did not fit a datagram, and the server did not send it over TCP. */
export type QueryFailure = "timeout" | "unreachable" | "tcp-failed" | "malformed";

type QueryOptions = QueryFlags & {
  /** Time for each exchange. A truncated answer takes two exchanges, a server older than EDNS one more. */
  readonly timeoutMs: number;
  /** The limit for all of them, on the `performance.now()` clock. */
  readonly deadlineAt: number;
};

export type DnsClient = {
  /** Asks one server once, over UDP; repeats over TCP when the answer is truncated. Never rejects. */
  query(server: DnsServer, question: Question, options: QueryOptions): Promise<Reply | QueryFailure>;
  /** Releases every socket; pending questions end as `unreachable`. */
  close(): void;
};

/** A DNS client over shared UDP sockets. Names in questions must be askable (`isAskable`). */
export function createDnsClient(): DnsClient {
  const udp = createUdp();
  const tcp = createTcp();

  async function exchange(
    server: DnsServer,
    question: Question,
    options: QueryOptions & { readonly edns: boolean },
  ): Promise<Reply | QueryFailure> {
    const query = encodeQuery(question, options);
    const overUdp = await udp.exchange(server, query, timeLeftMs(options));
    if (typeof overUdp === "string") return overUdp;
    if (!isTruncated(overUdp)) return decodeReply(overUdp) ?? "malformed";
    const overTcp = await tcp.exchange(server, query, timeLeftMs(options));
    if (overTcp === "malformed") return "malformed";
    if (typeof overTcp === "string") return "tcp-failed";
    return decodeReply(overTcp) ?? "malformed";
  }

  return {
    async query(server, question, options) {
      const first = await exchange(server, question, { ...options, edns: true });
      // Servers older than EDNS refuse the whole question because of it (RFC 6891, section 7).
      const dislikesEdns =
        typeof first !== "string" && (first.rcode === RCODE.FORMERR || first.rcode === RCODE.NOTIMP);
      return dislikesEdns ? exchange(server, question, { ...options, edns: false }) : first;
    },
    close() {
      udp.close();
      tcp.close();
    },
  };
}

function timeLeftMs(options: QueryOptions): number {
  return Math.max(1, Math.min(options.timeoutMs, options.deadlineAt - performance.now()));
}
