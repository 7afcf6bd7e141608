/**
 * Finds out whether a git host still accepts a token, before a deployment fails by it: at once when an admin asks, and
 * daily. Nothing is asked of the host while a connection to the database is held.
 */
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { GitError } from "../../git/git.ts";
import type { Actor } from "../../lib/actor.ts";
import { orNotFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { changeOf, recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { GIT_INTEGRATION_EVENTS } from "./events.ts";
import { type GitIntegration, tokenIdentity, type TokenCheckError } from "./git-integration.ts";
import { getGitIntegration, type GitDeps } from "./queries.ts";
import { gitIntegrations, type TriedToken } from "./store.ts";

/** What a host said of a token. */
type TokenCheck = {
  readonly tried: TriedToken;
  /** Null if the host said nothing of it. */
  readonly isRefused: boolean | null;
  readonly error: TokenCheckError | null;
};

const DAILY_HOURS = 24;
/** A token with an error is checked more often, so that its repair is soon seen. */
const WRONG_HOURS = 1;
const SWEEP_EVERY_MS = 5 * 60_000;
const BATCH = 20;

/** Tries the token of an integration. @throws AppError `NOT_FOUND` */
export async function tryToken(deps: GitDeps, { organizationId }: Actor, id: string): Promise<TokenCheck> {
  const tried = orNotFound(await gitIntegrations.findTried(deps.db, organizationId, id));
  return await ask(deps, tried);
}

/** Records a check that an admin asked for. @throws AppError `NOT_FOUND` */
export async function recordAskedCheck(
  tx: Transaction,
  actor: Actor,
  check: TokenCheck,
): Promise<GitIntegration> {
  const { organizationId, id } = check.tried;
  await getGitIntegration(tx, organizationId, id);
  recordAudit(tx, actor, "git-integration.check-requested", id);
  await recordCheck(tx, check);
  return await getGitIntegration(tx, organizationId, id);
}

/** Tries the tokens of all organizations that are due. @returns how long the sweep may rest, in ms */
export async function checkDueTokens(deps: GitDeps, signal: AbortSignal): Promise<number> {
  const { db } = deps;
  const due = await gitIntegrations.listDue(db, BATCH);
  for (const { organizationId, id } of due) {
    if (signal.aborted) return SWEEP_EVERY_MS;
    // A token whose check fails is not due again at once, so it does not delay others.
    await db.within(organizationId, async () => {
      const tried = await gitIntegrations.takeDue(db, organizationId, id);
      if (tried === null) return;
      const check = await ask(deps, tried);
      await db.transaction((tx) => recordCheck(tx, check));
    });
  }
  return due.length === BATCH ? 0 : SWEEP_EVERY_MS;
}

async function ask({ git, atRest }: GitDeps, tried: TriedToken): Promise<TokenCheck> {
  const token = await atRest.open(tokenIdentity(tried), tried.sealedToken);
  const { provider, host } = tried;
  try {
    await git.checkToken({ provider, host, token: token.reveal() });
    return { tried, isRefused: false, error: null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const { code, message, declaration } = error.toAppError();
    const action =
      error.code === "HOST_UNAVAILABLE"
        ? "If the host is only temporarily unavailable, do nothing: Slipway checks again within the hour. The token may still be valid."
        : declaration.remedy;
    const isRefused = error.code === "TOKEN_REFUSED" ? true : null;
    return { tried, isRefused, error: { code, message, action } };
  }
}

/** Records a check, and emits a change of the status once. Records nothing if the token was replaced meanwhile. */
async function recordCheck(tx: Transaction, { tried, isRefused, error }: TokenCheck): Promise<void> {
  const { organizationId, id, provider, host } = tried;
  await gitIntegrations.lock(tx, organizationId, id);
  const before = await gitIntegrations.find(tx, organizationId, id);
  const againAfterHours = error === null ? DAILY_HOURS : WRONG_HOURS;
  const after = await gitIntegrations.recordCheck(tx, tried, { isRefused, error, againAfterHours });
  if (before === null || after === null) return;
  announceChange(tx, id);
  const { tokenStatus } = after;
  if (before.tokenStatus === tokenStatus) return;
  const slipway = slipwayOf(organizationId);
  const change = changeOf({ tokenStatus: before.tokenStatus }, { tokenStatus });
  if (error === null) {
    recordAudit(tx, slipway, "git-integration.token-accepted", id, change);
    const type = GIT_INTEGRATION_EVENTS["git_integration.token_accepted"];
    emit(tx, slipway, { type, subjectId: id, data: { provider, host } });
  } else {
    recordAudit(tx, slipway, "git-integration.token-refused", id, change);
    const type = GIT_INTEGRATION_EVENTS["git_integration.token_refused"];
    const data = { provider, host, error: { ...codedErrorOf(error), action: error.action } };
    emit(tx, slipway, { type, subjectId: id, data });
  }
}
