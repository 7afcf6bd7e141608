import type { AwsAccount } from "./aws-account.ts";

const DAY_MS = 24 * 60 * 60_000;
/** A role that stopped working is looked at more often, so that a mended one is soon found. */
const RECHECK_DISCONNECTED_MS = 5 * 60_000;
/** A new role needs some seconds to be known everywhere at AWS; one that still fails then is rarely mended soon. */
const NEW_ROLE_PATIENCE_MS = 10 * 60_000;
const RECHECK_NEW_ROLE_MS = 10_000;
const RECHECK_OLD_ROLE_MS = 60 * 60_000;
/** Work that lacks a permission has the role looked at by itself; this is for when there is none. */
const RECHECK_LACKING_MS = 60 * 60_000;

export type AwsAccountStep =
  | { readonly kind: "verify" }
  | { readonly kind: "wait"; readonly runAfterMs: number }
  /** Nothing until the stack reports. */
  | { readonly kind: "rest" };

/** The one next step of a connection. */
export function decideAwsAccount(account: AwsAccount, now: Date): AwsAccountStep {
  if (account.reportedRoleArn === null || account.reportedAccountId === null) return { kind: "rest" };
  const { lastCheckAt, checkRequestedAt } = account;
  if (lastCheckAt === null) return { kind: "verify" };
  if (checkRequestedAt !== null && checkRequestedAt > lastCheckAt) return { kind: "verify" };
  const leftMs = recheckAfterMs(account, now) - (now.getTime() - lastCheckAt.getTime());
  return leftMs <= 0 ? { kind: "verify" } : { kind: "wait", runAfterMs: leftMs };
}

function recheckAfterMs(account: AwsAccount, now: Date): number {
  switch (account.status) {
    case "CONNECTED":
      return account.lastCheckError === null ? DAY_MS : RECHECK_LACKING_MS;
    case "DISCONNECTED":
      return isNew(account, now) ? RECHECK_NEW_ROLE_MS : RECHECK_DISCONNECTED_MS;
    case "AWAITING_CONNECTION":
      return isNew(account, now) ? RECHECK_NEW_ROLE_MS : RECHECK_OLD_ROLE_MS;
  }
}

function isNew({ checkRequestedAt, createdAt }: AwsAccount, now: Date): boolean {
  return now.getTime() - (checkRequestedAt ?? createdAt).getTime() < NEW_ROLE_PATIENCE_MS;
}
