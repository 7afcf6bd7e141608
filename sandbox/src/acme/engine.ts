/** The work on one name: look, order, challenge, certificate, renewal. One step at a time, from what is on the disk. */
import type { SandboxLog } from "../accounts/stacks.ts";
import { AcmeError, explainProblem, type Problem } from "./acme-error.ts";
import type { Answers } from "./answers.ts";
import { explainPlan, planOrder, type Uses } from "./budget.ts";
import { type AcmeCertificates, delegationOf } from "./certificates.ts";
import { chooseDirectory } from "./decide-directory.ts";
import { judgeFailure } from "./decide-failure.ts";
import { type ChallengeType, chooseMethod, restAfterFailure, restBeforeLook } from "./decide-method.ts";
import { type Directory, explainClock, type Seal } from "./directories.ts";
import type { Look } from "./look.ts";
import { findLostOrder } from "./lost-order.ts";
import type { NameCertificate, NameOrder, NameState } from "./name-state.ts";
import type { Names } from "./names.ts";
import { advanceOrder } from "./order.ts";
import { isUrgent, renewAt } from "./renewal.ts";
import { limitDomainOf, type UseLog } from "./uses.ts";

export type EngineParts = {
  readonly names: Names;
  readonly uses: UseLog;
  readonly answers: Answers;
  readonly look: Look;
  readonly directories: readonly Directory[];
  readonly certificates: AcmeCertificates;
  readonly seal: Seal;
  readonly edgeHostname: string;
  readonly challengeZone: string;
  readonly now: () => number;
  /** Aborted by the stop: what fails after it is not a fault. */
  readonly signal: AbortSignal;
  readonly log: SandboxLog;
};

type Chosen = { readonly directory: Directory; readonly profile: string | null };

const HOUR_MS = 3_600_000;
const STORAGE_REST_MS = 10_000;
const EARLY_REST_MS = 24 * HOUR_MS;
/** More failures in a row than this, and the second CA may take over. */
const FAILING_AFTER = 1;

export function createEngine(parts: EngineParts): {
  /** One step. @returns when the next is due; null if nothing is to be done for this name. Never rejects. */
  work(id: string): Promise<number | null>;
} {
  const { names, uses, answers, look, directories, certificates, now, log } = parts;
  const reported = new Map<string, string>();
  const textNameOf = (accountId: string, name: string) =>
    delegationOf(accountId, name, parts.challengeZone).value;
  const orderParts = { ...parts, textNameOf, reported };
  const directoryOf = (url: string) => directories.find((one) => one.url === url);

  async function work(id: string): Promise<number | null> {
    const state = names.get(id);
    if (state === undefined) return null;
    try {
      return await step(state);
    } catch (error) {
      if (parts.signal.aborted) return null;
      if (error instanceof AcmeError) return noteAcmeError(id, error);
      log.warn(
        { err: error, name: state.name },
        "A certificate could not be worked on. Slipway tries again.",
      );
      return now() + STORAGE_REST_MS;
    }
  }

  async function step(state: NameState): Promise<number | null> {
    if (state.order !== null) return workOnOrder(state, state.order);
    const wanted = certificates.wanted(state.id);
    const { certificate } = state;
    if (certificate === null) return wanted === null ? null : beginOrder(state, true);
    // It may be used later.
    if (wanted === null) return now() + HOUR_MS;
    const current = await refreshSuggestion(state, certificate);
    const at = renewAt(current, current.suggestion, current.share);
    if (at > now()) return Math.min(at, current.askAt);
    return beginOrder(names.get(state.id) ?? state, false);
  }

  /** Asks the CA for the renewal window when it is time to (RFC 9773, 4.3). Its failure does not stop the renewal. */
  async function refreshSuggestion(state: NameState, certificate: NameCertificate): Promise<NameCertificate> {
    const directory = directoryOf(certificate.directory);
    if (certificate.askAt > now() || directory === undefined || directory.health().restUntil > now())
      return certificate;
    const keep = (changes: Partial<NameCertificate>) => {
      const changed = { ...certificate, ...changes };
      if (names.get(state.id)?.certificate === certificate) names.change(state.id, { certificate: changed });
      return changed;
    };
    const usual = now() + 6 * HOUR_MS;
    if (certificate.renewalId === null) return keep({ askAt: usual });
    try {
      const found = await directory.client.renewalInfo(state.name, certificate.renewalId);
      // No poll is more frequent than once a minute, whatever the CA says.
      const askAt = found.retryAt === null ? usual : Math.max(found.retryAt, now() + 60_000);
      return keep({ suggestion: found.suggestion ?? certificate.suggestion, askAt });
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      return keep({ askAt: Math.max(error.retryAt ?? 0, now() + HOUR_MS) });
    }
  }

  async function beginOrder(state: NameState, isFirst: boolean): Promise<number> {
    if (state.notBefore > now()) return state.notBefore;
    const { id, name, accountId, certificate } = state;
    const record = delegationOf(accountId, name, parts.challengeZone);
    const seen = await look.see(name, record);
    const chosen = chooseMethod(name, seen, state.failedMethod, record, parts.edgeHostname);
    if (!("method" in chosen)) {
      names.noteError(id, { type: chosen.type, message: chosen.waitFor, directory: null }, now());
      return now() + restBeforeLook(now() - Math.max(state.since, certificate?.issuedAt ?? 0));
    }
    const mayChange = isFirst || certificate === null || isUrgent(certificate, now());
    const ca = await choose(state, mayChange);
    return typeof ca === "number" ? ca : placeOrder(state, ca, chosen.method);
  }

  /** The CA for the next order, or when to try again. */
  async function choose(state: NameState, mayChange: boolean): Promise<Chosen | number> {
    const { id, name } = state;
    const refused = new Map<string, string>();
    for (;;) {
      const candidates = directories.map((directory) => {
        const { failures, restUntil } = directory.health();
        const plan = planOrder(usesOf(directory, name), directory.limits, now(), isExempt(state, directory));
        return {
          directory: directory.url,
          isFailing: failures > FAILING_AFTER,
          restUntil,
          freeAt: Math.max(plan.at, state.limitedUntil[directory.url] ?? 0),
          isRefused: refused.has(directory.url),
          limit: plan.limit,
        };
      });
      const choice = chooseDirectory(candidates, mayChange, now());
      if (choice === "refused") {
        const [message = ""] = refused.values();
        return failFinally(state, { type: "caa", detail: "" }, message, "CAA_ERROR");
      }
      if ("waitUntil" in choice) {
        const limited = candidates.find(({ freeAt }) => freeAt > now());
        const resting = directories.map((one) => one.health()).find(({ error }) => error !== null);
        if (limited?.limit !== undefined && limited.limit !== null)
          names.noteError(
            id,
            {
              type: "budget",
              message: explainPlan(limited.limit, limited.freeAt),
              directory: limited.directory,
            },
            now(),
          );
        else if (resting !== undefined && resting.error !== null) names.noteError(id, resting.error, now());
        return choice.waitUntil;
      }
      const directory = directoryOf(choice.directory);
      if (directory === undefined) throw new Error(`There is no CA ${choice.directory}.`);
      try {
        const refusal = await explainCaa(directory, name);
        if (refusal === null) return { directory, profile: await directory.profile() };
        refused.set(directory.url, refusal);
      } catch (error) {
        if (!(error instanceof AcmeError)) throw error;
        directory.noteFailure(error);
      }
    }
  }

  async function explainCaa(directory: Directory, name: string): Promise<string | null> {
    const caaIdentities = await directory.caaIdentities();
    const set = await look.findCaaRefusal(name, caaIdentities);
    if (set === null) return null;
    const [issuer] = caaIdentities;
    const found = set.found.join(", ").slice(0, 300);
    return issuer === undefined
      ? `The CAA records at ${set.at} (${found}) let no CA issue for ${name}. Remove them, or allow a CA.`
      : `The CAA records at ${set.at} (${found}) do not let ${issuer} issue for ${name}. Add a CAA record at ${set.at}: 0 issue "${issuer}".`;
  }

  /** Orders under way count as the certificates that they become. */
  function usesOf(directory: Directory, name: string): Uses {
    const kept = uses.of(directory.url, name);
    if (directory.limits === null) return kept;
    const domain = limitDomainOf(name);
    const started: { readonly name: string; readonly at: number }[] = [];
    for (const { order, name: other } of names.values()) {
      if (order?.directory === directory.url && !order.isReplacement && limitDomainOf(other) === domain)
        started.push({ name: other, at: order.startedAt });
    }
    const merge = (times: readonly number[], more: readonly { readonly at: number }[]) =>
      [...times, ...more.map(({ at }) => at)].toSorted((a, b) => a - b);
    return {
      ...kept,
      domain: merge(kept.domain, started),
      name: merge(
        kept.name,
        started.filter((one) => one.name === name),
      ),
    };
  }

  /** Renewals that name their predecessor count against no limit (RFC 9773, 5, and Let's Encrypt's rules). */
  function isExempt({ certificate }: NameState, { url }: Directory): boolean {
    return certificate !== null && certificate.directory === url && certificate.suggestion !== null;
  }

  async function placeOrder(
    state: NameState,
    { directory, profile }: Chosen,
    method: ChallengeType,
  ): Promise<number> {
    const { id, name, certificate } = state;
    const isReplacement = isExempt(state, directory);
    const order: NameOrder = {
      directory: directory.url,
      method,
      startedAt: now(),
      url: null,
      isReplacement,
      challenge: null,
      sealedKey: null,
    };
    if (names.change(id, { order }) === undefined) return now();
    uses.add({ directory: directory.url, kind: "order", name, at: now(), isExempt: isReplacement });
    let replaces = isReplacement ? (certificate?.renewalId ?? null) : null;
    let placed;
    try {
      placed = await directory.client.newOrder(name, profile, replaces);
    } catch (error) {
      // It has been replaced already, or the CA takes only some certificates as replaced (RFC 9773, 5).
      const isReplaceRefused =
        error instanceof AcmeError &&
        replaces !== null &&
        ["alreadyReplaced", "malformed", "notFound", "unauthorized", "conflict"].includes(error.type);
      if (!isReplaceRefused) throw error;
      replaces = null;
      placed = await directory.client.newOrder(name, profile, null);
    }
    directory.noteSuccess();
    // The name was deleted meanwhile: the order ends by its own time.
    if (names.change(id, { order: { ...order, url: placed.url } }) === undefined) return now();
    return now();
  }

  /** Whether an order's address belongs to a name already. */
  function known(url: string): boolean {
    for (const { order } of names.values()) if (order?.url === url) return true;
    return false;
  }

  async function workOnOrder(state: NameState, order: NameOrder): Promise<number | null> {
    const { id, name } = state;
    const directory = directoryOf(order.directory);
    // The CA is not configured any more, or no request waits for the order.
    if (directory === undefined || certificates.wanted(id) === null) return dropOrder(id);
    const { restUntil, failures } = directory.health();
    if (restUntil > now()) {
      const { certificate } = state;
      const mayChange = certificate === null || isUrgent(certificate, now());
      if (directories.length > 1 && failures > FAILING_AFTER && mayChange) return dropOrder(id);
      return restUntil;
    }
    const { url } = order;
    if (url === null) {
      // The process or the connection broke between the request for the order and its answer.
      const found = await findLostOrder(directory.client, name, (one) => known(one));
      if (found === null) return dropOrder(id);
      names.change(id, { order: { ...order, url: found } });
      return now();
    }
    const result = await advanceOrder(orderParts, directory, state, { ...order, url });
    directory.noteSuccess();
    switch (result.kind) {
      case "again":
        return result.at;
      case "lost": {
        const lost = state.failures + 1;
        names.change(id, { failures: lost, notBefore: now() + restAfterFailure(lost) / 5 });
        return dropOrder(id);
      }
      case "failed":
        return noteFailed(state, order, result.problem, explainProblem(result.problem, name));
      case "issued": {
        const early = explainEarly(result.certificate, directory.client.aheadMs());
        names.change(id, {
          certificate: result.certificate,
          order: null,
          failures: 0,
          failedMethod: null,
          // Else, a wrong clock would order one certificate after another.
          notBefore: early === null ? 0 : now() + EARLY_REST_MS,
          limitedUntil: {},
          error:
            early === null ? null : { type: "clock", message: early, at: now(), directory: directory.url },
        });
        uses.add({
          directory: order.directory,
          kind: "certificate",
          name,
          at: now(),
          isExempt: order.isReplacement,
        });
        forget(id);
        certificates.noteIssued(id);
        log.info(
          {
            name,
            directory: order.directory,
            expiresAt: new Date(result.certificate.expiresAt).toISOString(),
          },
          "A certificate was issued.",
        );
        return now();
      }
    }
  }

  /** Why a new certificate would have to be renewed already; null if it is as it should be. */
  function explainEarly({ issuedAt, expiresAt }: NameCertificate, aheadMs: number | null): string | null {
    if (renewAt({ issuedAt, expiresAt }, null, 0) > now()) return null;
    return `By this machine's clock, the new certificate is already two thirds through its time.${explainClock(aheadMs)}`;
  }

  function forget(id: string): void {
    answers.remove(id);
    reported.delete(id);
  }

  function dropOrder(id: string): number {
    names.change(id, { order: null });
    forget(id);
    return now();
  }

  /** The CA refused the request or the validation. */
  function noteFailed(state: NameState, order: NameOrder, problem: Problem, message: string): number {
    const { id, name } = state;
    const failures = state.failures + 1;
    const meaning = judgeFailure(problem.type, failures);
    if (meaning.kind === "final") return failFinally(state, problem, message, meaning.reason);
    if (meaning.kind === "validation")
      uses.add({ directory: order.directory, kind: "failure", name, at: now(), isExempt: false });
    const notBefore = now() + restAfterFailure(failures);
    names.change(id, {
      order: null,
      failures,
      failedMethod: meaning.kind === "validation" ? order.method : state.failedMethod,
      notBefore,
      error: { type: problem.type, message, at: now(), directory: order.directory },
    });
    forget(id);
    return notBefore;
  }

  /** A first certificate fails for good; a renewal is tried again, because the certificate still serves. */
  function failFinally(state: NameState, problem: Problem, message: string, reason: string): number {
    const failures = state.failures + 1;
    names.change(state.id, {
      order: null,
      failures,
      notBefore: now() + restAfterFailure(failures),
      error: { type: problem.type, message, at: now(), directory: state.order?.directory ?? null },
    });
    forget(state.id);
    certificates.fail(state.id, reason);
    log.warn({ name: state.name, reason }, message);
    return now() + restAfterFailure(failures);
  }

  /** A request that the CA did not answer, or refused. */
  function noteAcmeError(id: string, error: AcmeError): number {
    const state = names.get(id);
    const order = state?.order ?? null;
    if (state === undefined || order === null) return now() + restBeforeLook(0);
    const directory = directoryOf(order.directory);
    if (error.scope === "directory") {
      directory?.noteFailure(error);
      const health = directory?.health();
      names.noteError(
        id,
        health?.error ?? { type: error.type, message: error.message, directory: order.directory },
        now(),
      );
      const isSecondTried = directories.length > 1 && (health?.failures ?? 0) > FAILING_AFTER;
      return isSecondTried ? now() : (health?.restUntil ?? now() + STORAGE_REST_MS);
    }
    if (error.type === "rateLimited") {
      const until = error.retryAt ?? now() + HOUR_MS;
      names.change(id, {
        order: order.url === null ? null : order,
        limitedUntil: { ...state.limitedUntil, [order.directory]: until },
        error: { type: error.type, message: error.message, at: now(), directory: order.directory },
      });
      return order.url === null && directories.length > 1 ? now() + restBeforeLook(0) : until;
    }
    return noteFailed(state, order, { type: error.type, detail: "" }, error.message);
  }

  return { work };
}
