import type { Ask, Budget } from "./ask.ts";
import type { Question } from "./wire/message.ts";
import type { DnsServer } from "./wire/servers.ts";
import { judgeResolver } from "./zones.ts";

const MAX_RESOLVERS = 3;

/**
 * Whether resolvers refuse an answer because its DNSSEC signature is broken: they answer SERVFAIL, unless they are asked
 * not to validate (the CD bit of RFC 4035, section 3.2.2). Resolvers that do not validate are ignored, and a resolver
 * that validates the answer overrules the others. If a resolver does not answer a question in time, it gets the next
 * question, because some resolvers take longer to give up on a signature than we wait. Never rejects.
 */
export async function isBogus(
  parts: { readonly ask: Ask; readonly resolvers: readonly DnsServer[] },
  questions: readonly Question[],
  budget: Budget,
): Promise<boolean> {
  const verdicts = await Promise.all(
    parts.resolvers.slice(0, MAX_RESOLVERS).map(async (resolver) => {
      for (const question of questions) {
        const verdict = await judgeBy(parts.ask, resolver, question, budget);
        if (verdict !== "silent") return verdict;
      }
      return null;
    }),
  );
  return verdicts.includes("bogus") && !verdicts.includes("secure");
}

async function judgeBy(
  ask: Ask,
  resolver: DnsServer,
  question: Question,
  budget: Budget,
): Promise<"secure" | "bogus" | "silent" | null> {
  const askIt = async (checkingDisabled: boolean) => {
    const options = { recursionDesired: true, checkingDisabled, judge: judgeResolver, isOnce: true };
    const asked = await ask([resolver], question, options, budget);
    return "reply" in asked ? asked.reply : (asked[0]?.reason ?? "unsent");
  };
  const first = await askIt(false);
  if (typeof first !== "string") return first.authenticated ? "secure" : null;
  if (first === "timeout") return "silent";
  if (first !== "servfail" || typeof (await askIt(true)) === "string") return null;
  // Asked again, so that a passing fault of the resolver is not taken for a broken signature.
  return (await askIt(false)) === "servfail" ? "bogus" : null;
}
