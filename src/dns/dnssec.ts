import type { Ask, Budget } from "./ask.ts";
import type { Question } from "./wire/message.ts";
import type { DnsServer } from "./wire/servers.ts";
import { judgeResolver } from "./zones.ts";

const MAX_RESOLVERS = 3;

/**
 * Whether resolvers refuse an answer because its DNSSEC signature is broken: they answer SERVFAIL, unless they are asked
 * not to validate (the CD bit of RFC 4035, section 3.2.2). Resolvers that do not validate have no say, and one that
 * validates the answer overrules the others. Never rejects.
 */
export async function isBogus(
  { ask, resolvers }: { readonly ask: Ask; readonly resolvers: readonly DnsServer[] },
  question: Question,
  budget: Budget,
): Promise<boolean> {
  const verdicts = await Promise.all(
    resolvers.slice(0, MAX_RESOLVERS).map((resolver) => judgeBy(ask, resolver, question, budget)),
  );
  return verdicts.includes("bogus") && !verdicts.includes("secure");
}

async function judgeBy(
  ask: Ask,
  resolver: DnsServer,
  question: Question,
  budget: Budget,
): Promise<"secure" | "bogus" | null> {
  const askOnce = (checkingDisabled: boolean) =>
    ask(
      [resolver],
      question,
      { recursionDesired: true, checkingDisabled, judge: judgeResolver, isOnce: true },
      budget,
    );
  const isRefused = async (): Promise<boolean> => {
    const asked = await askOnce(false);
    return !("reply" in asked) && asked.some(({ reason }) => reason === "servfail");
  };
  const asked = await askOnce(false);
  if ("reply" in asked) return asked.reply.authenticated ? "secure" : null;
  if (!asked.some(({ reason }) => reason === "servfail")) return null;
  const unvalidated = await askOnce(true);
  // Asked again, so that a passing fault of the resolver is not taken for a broken signature.
  return "reply" in unvalidated && (await isRefused()) ? "bogus" : null;
}
