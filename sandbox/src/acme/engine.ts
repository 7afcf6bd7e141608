/** The work on one name: look, order, challenge, certificate, renewal. One step at a time, from what is on the disk. */
import type { SandboxLog } from "../accounts/stacks.ts";
import { isDiskFull, type SandboxState } from "../state.ts";
import { AcmeError, explainProblem, type Problem } from "./acme-error.ts";
import type { Answers } from "./answers.ts";
import { type AcmeCertificates, delegationOf } from "./certificates.ts";
import { type ChosenCa, createChooseCa, isFailing } from "./choose-ca.ts";
import { judgeFailure } from "./decide-failure.ts";
import { type ChallengeType, chooseMethod, restAfterFailure, restBeforeLook } from "./decide-method.ts";
import { type Directory, explainEarly, type Seal } from "./directories.ts";
import type { Look } from "./look.ts";
import { findLostOrder } from "./lost-order.ts";
import type { NameCertificate, NameOrder, NameState } from "./name-state.ts";
import type { Names } from "./names.ts";
import { advanceOrder } from "./order.ts";
import { refreshWindow } from "./refresh-window.ts";
import { isUrgent, renewAt } from "./renewal.ts";
import type { UseLog } from "./uses.ts";

export type EngineParts = {
  readonly disk: Pick<SandboxState, "atomically">;
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

const HOUR_MS = 3_600_000;
const STORAGE_REST_MS = 10_000;
/** While a CA that has the renewal window cannot be asked. */
const WINDOW_REST_MS = 60_000;
const EARLY_REST_MS = 24 * HOUR_MS;

export function createEngine(parts: EngineParts): {
  /** One step. @returns when the next is due; null if nothing is to be done for this name. Never rejects. */
  work(id: string): Promise<number | null>;
} {
  const { disk, names, uses, answers, look, directories, certificates, now, log } = parts;
  const chooser = createChooseCa(parts);
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
        isDiskFull(error)
          ? "The disk of the folder host in the data folder is full, so a certificate cannot be stored. Free some space; Slipway tries again every 10 seconds."
          : "A certificate could not be worked on. Slipway tries again.",
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
    const directory = directoryOf(certificate.directory);
    const current =
      directory === undefined ? certificate : await refreshWindow(parts, directory, state, certificate);
    const at = renewAt(current, current.suggestion, current.share);
    if (at > now()) return Math.min(at, Math.max(current.askAt, now() + WINDOW_REST_MS));
    return beginOrder(names.get(state.id) ?? state, false);
  }

  async function beginOrder(state: NameState, isFirst: boolean): Promise<number> {
    if (state.notBefore > now()) return state.notBefore;
    const { id, name, accountId, certificate } = state;
    const record = delegationOf(accountId, name, parts.challengeZone);
    const seen = await look.see(name, record);
    const chosen = chooseMethod(name, seen, state.failedMethod, record, parts.edgeHostname);
    if (!("method" in chosen)) {
      const error = { type: chosen.type, message: chosen.waitFor, directory: null };
      const isNew = names.noteError(id, error, now());
      // The ports are the operator's; the records, which the customer sees at the domain, are not.
      if (isNew && chosen.type === "edgeNotReached") log.warn({ name }, chosen.waitFor);
      return now() + restBeforeLook(now() - Math.max(state.since, certificate?.issuedAt ?? 0));
    }
    const mayChange = isFirst || certificate === null || isUrgent(certificate, now());
    const ca = await chooser.choose(state, mayChange);
    switch (ca.kind) {
      case "wait":
        return ca.at;
      case "refused":
        return failFinally(state, { type: "caa", detail: "" }, ca.message, "CAA_ERROR");
      case "ca":
        return placeOrder(state, ca, chosen.method);
    }
  }

  async function placeOrder(
    state: NameState,
    { directory, profile }: Extract<ChosenCa, { kind: "ca" }>,
    method: ChallengeType,
  ): Promise<number> {
    const { id, name, certificate } = state;
    // Other names may have used up the budget since the CA was chosen.
    const { at } = chooser.plan(state, directory);
    if (at > now()) return at;
    const isReplacement = chooser.isReplacement(state, directory);
    const order: NameOrder = {
      directory: directory.url,
      method,
      startedAt: now(),
      url: null,
      isReplacement,
      challenge: null,
      sealedKey: null,
    };
    const isKept = disk.atomically(() => {
      if (names.change(id, { order }) === undefined) return false;
      uses.add({ directory: directory.url, kind: "order", name, at: now(), isExempt: isReplacement });
      return true;
    });
    if (!isKept) return now();
    const replaces = isReplacement ? (certificate?.renewalId ?? null) : null;
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
      placed = await directory.client.newOrder(name, profile, null);
    }
    directory.noteSuccess();
    // If the name was deleted meanwhile, the order ends by its own time.
    names.change(id, { order: { ...order, url: placed.url } });
    return now();
  }

  async function workOnOrder(state: NameState, order: NameOrder): Promise<number | null> {
    const { id, name } = state;
    const directory = directoryOf(order.directory);
    // The CA is not configured any more, or no request waits for the order.
    if (directory === undefined || certificates.wanted(id) === null) return dropOrder(id);
    const { restUntil } = directory.health();
    if (restUntil > now()) {
      const { certificate } = state;
      const mayChange = certificate === null || isUrgent(certificate, now());
      if (directories.length > 1 && isFailing(directory) && mayChange) return dropOrder(id);
      return restUntil;
    }
    const { url } = order;
    if (url === null) {
      // The process or the connection broke between the request for the order and its answer.
      const found = await findLostOrder(directory.client, name, names);
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
        noteIssued(state, order, directory, result.certificate);
        forget(id);
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

  /** One write: the certificate serves, its request is complete, and the limits know it. */
  function noteIssued(
    { id, name }: NameState,
    { isReplacement }: NameOrder,
    { url, client }: Directory,
    certificate: NameCertificate,
  ): void {
    const at = now();
    const early = explainEarly(certificate, at, client.aheadMs());
    disk.atomically(() => {
      names.change(id, {
        certificate,
        order: null,
        failures: 0,
        failedMethod: null,
        // Else, a wrong clock would order one certificate after another.
        notBefore: early === null ? 0 : at + EARLY_REST_MS,
        limitedUntil: {},
        error: early === null ? null : { type: "clock", message: early, at, directory: url },
      });
      uses.add({ directory: url, kind: "certificate", name, at, isExempt: isReplacement });
      certificates.noteIssued(id);
    });
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
      const isSecondTried = directories.length > 1 && directory !== undefined && isFailing(directory);
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
