/** The CA of a name's next order: its health, its rate limits, and what the name's CAA records say. */
import { explainRefusal } from "../../../src/dns/caa.ts";
import { printable, quote } from "../../../src/dns/quote-values.ts";
import { AcmeError } from "./acme-error.ts";
import { explainPlan, type Plan, planOrder, type Uses } from "./budget.ts";
import { type Candidate, chooseDirectory } from "./decide-directory.ts";
import type { Directory } from "./directories.ts";
import type { Look } from "./look.ts";
import type { NameState } from "./name-state.ts";
import type { Names } from "./names.ts";
import { limitDomainOf, type UseLog } from "./uses.ts";

export type ChosenCa =
  | { readonly kind: "ca"; readonly directory: Directory; readonly profile: string | null }
  | { readonly kind: "wait"; readonly at: number }
  | { readonly kind: "refused"; readonly message: string };

export type ChooseCa = {
  /** @param mayChange whether the second CA may be used */
  choose(state: NameState, mayChange: boolean): Promise<ChosenCa>;
  /** When the limits of a CA allow an order for this name. */
  plan(state: NameState, directory: Directory): Plan;
  /** Whether the next order replaces a certificate by ARI, and so counts against no limit (RFC 9773, 5). */
  isReplacement(state: NameState, directory: Directory): boolean;
};

/** More failures in a row than this, and the second CA may take over. */
const FAILING_AFTER = 1;

/** Whether a CA has failed more than once in a row. */
export function isFailing(directory: Directory): boolean {
  return directory.health().failures > FAILING_AFTER;
}

export function createChooseCa(parts: {
  readonly names: Names;
  readonly uses: UseLog;
  readonly look: Look;
  readonly directories: readonly Directory[];
  readonly now: () => number;
}): ChooseCa {
  const { names, uses, look, directories, now } = parts;

  function isReplacement({ certificate }: NameState, { url }: Directory): boolean {
    return certificate !== null && certificate.directory === url && certificate.suggestion !== null;
  }

  /** Orders under way count as the certificates that they become. */
  function usesOf({ url, limits }: Directory, name: string): Uses {
    const kept = uses.of(url, name);
    if (limits === null) return kept;
    const domain = limitDomainOf(name);
    const started: { readonly name: string; readonly at: number }[] = [];
    for (const { order, name: other } of names.values()) {
      if (order?.directory === url && !order.isReplacement && limitDomainOf(other) === domain)
        started.push({ name: other, at: order.startedAt });
    }
    const merge = (times: readonly number[], more: typeof started) =>
      [...times, ...more.map(({ at }) => at)].toSorted((a, b) => a - b);
    const same = started.filter((one) => one.name === name);
    return { ...kept, domain: merge(kept.domain, started), name: merge(kept.name, same) };
  }

  const plan = (state: NameState, directory: Directory): Plan =>
    planOrder(usesOf(directory, state.name), directory.limits, now(), isReplacement(state, directory));

  async function explainCaa(directory: Directory, name: string): Promise<string | null> {
    const identities = await directory.caaIdentities();
    const set = await look.findCaaRefusal(name, identities);
    if (set === null) return null;
    if (identities.length === 0)
      return `The CAA records at ${set.owner} (${printable(quote(set.found))}) let no CA issue for ${name}. Remove them, or allow a CA.`;
    const { message, action } = explainRefusal(set, name, { issuers: identities, needsCname: false });
    return `${message} ${action}`;
  }

  function noteWait(
    { id, name }: NameState,
    candidates: readonly (Candidate & { readonly plan: Plan })[],
  ): void {
    const limited = candidates.find((one) => one.plan.limit !== null && one.plan.at > now());
    if (limited !== undefined && limited.plan.limit !== null) {
      const message = `${name}: ${explainPlan(limited.plan.limit, limited.plan.at)}`;
      names.noteError(id, { type: "budget", message, directory: limited.directory }, now());
      return;
    }
    const resting = directories.map((one) => one.health().error).find((error) => error !== null);
    if (resting !== undefined && resting !== null) names.noteError(id, resting, now());
  }

  async function choose(state: NameState, mayChange: boolean): Promise<ChosenCa> {
    const refusals = new Map<string, string>();
    for (;;) {
      const candidates = directories.map((directory) => {
        const planned = plan(state, directory);
        return {
          directory: directory.url,
          isFailing: isFailing(directory),
          restUntil: directory.health().restUntil,
          freeAt: Math.max(planned.at, state.limitedUntil[directory.url] ?? 0),
          isRefused: refusals.has(directory.url),
          plan: planned,
        };
      });
      const choice = chooseDirectory(candidates, mayChange, now());
      if (choice === "refused") {
        const [message = ""] = refusals.values();
        return { kind: "refused", message };
      }
      if ("waitUntil" in choice) {
        noteWait(state, candidates);
        return { kind: "wait", at: choice.waitUntil };
      }
      const directory = directories.find(({ url }) => url === choice.directory);
      if (directory === undefined) throw new Error(`There is no CA ${choice.directory}.`);
      try {
        const refusal = await explainCaa(directory, state.name);
        if (refusal === null) return { kind: "ca", directory, profile: await directory.profile() };
        refusals.set(directory.url, refusal);
      } catch (error) {
        if (!(error instanceof AcmeError)) throw error;
        directory.noteFailure(error);
      }
    }
  }

  return { choose, plan, isReplacement };
}
