import type { DnsClient, QueryFailure } from "./wire/client.ts";
import { isAskable } from "./names.ts";
import { type QueryFlags, type Question, RCODE, type Reply } from "./wire/message.ts";
import type { DnsServer } from "./wire/servers.ts";

/** What one check may still spend. `deadlineAt` is a time of the `performance.now()` clock. */
export type Budget = {
  readonly deadlineAt: number;
  /** On the same clock: answers that are older are asked for again. */
  readonly freshAfter: number;
  queriesLeft: number;
};

/**
 * Why a server's reply does not count. `lame`: it answers, but is not authoritative for this zone. `unsent`: the budget
 * was spent before the query was sent, which says nothing about the server.
 */
export type FailureReason = QueryFailure | "servfail" | "refused" | "lame" | "unsent";

export type Failure = { readonly server: DnsServer; readonly reason: FailureReason };

export type Asked = { readonly server: DnsServer; readonly reply: Reply };

/** Says why a reply does not count, or null if it counts. */
type Judge = (reply: Reply) => FailureReason | null;

export type Ask = (
  servers: readonly DnsServer[],
  question: Question,
  options: QueryFlags & { readonly judge: Judge; readonly isOnce?: boolean },
  budget: Budget,
) => Promise<Asked | readonly Failure[]>;

const MAX_SERVERS_ASKED = 3;

/**
 * Asks one server after another until a reply counts. If there is only one and it is silent, asks it once more, unless
 * `isOnce`.
 */
export function makeAsk(client: DnsClient, timeoutMs: number): Ask {
  return async (servers, question, options, budget) => {
    const failures: Failure[] = [];
    const [only, ...others] = servers;
    if (only === undefined || !isAskable(question.name)) return failures;
    const isRepeated = others.length === 0 && options.isOnce !== true;
    const tries = isRepeated ? [only, only] : servers.slice(0, MAX_SERVERS_ASKED);
    for (const server of tries) {
      if (performance.now() >= budget.deadlineAt || budget.queriesLeft <= 0) {
        if (failures.length === 0) failures.push({ server, reason: "unsent" });
        break;
      }
      budget.queriesLeft -= 1;
      const reply = await client.query(server, question, {
        recursionDesired: options.recursionDesired,
        checkingDisabled: options.checkingDisabled === true,
        timeoutMs,
        deadlineAt: budget.deadlineAt,
      });
      const reason = typeof reply === "string" ? reply : options.judge(reply);
      if (reason === null && typeof reply !== "string") return { server, reply };
      if (reason !== null) failures.push({ server, reason });
      // A server that answered would repeat its answer.
      if (others.length === 0 && reason !== "timeout") break;
    }
    return failures;
  };
}

/** Whether no server was asked. */
export function isUnsent(failures: readonly Failure[]): boolean {
  return failures.every(({ reason }) => reason === "unsent");
}

/** The part of a verdict that is the same for resolvers and for authoritative servers. */
export function judgeRcode(reply: Reply): FailureReason | null {
  switch (reply.rcode) {
    case RCODE.NOERROR:
    case RCODE.NXDOMAIN:
      return null;
    case RCODE.REFUSED:
    case RCODE.NOTAUTH:
      return "refused";
    default:
      return "servfail";
  }
}
