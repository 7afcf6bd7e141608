import { LRUCache } from "lru-cache";
import { AssumeRoleCommand } from "@aws-sdk/client-sts";
import type { CloudAccount, CloudError } from "../../cloud.ts";
import { cloudError, hasName, isSessionError, toCloudError } from "./errors.ts";
import type { Sdk, Session } from "./sdk.ts";

export type Sessions = {
  /** A session of a connected account; cached while it is valid. @throws CloudError */
  of(account: CloudAccount, signal: AbortSignal): Promise<Session>;
  /** AWS no longer knows this session: the next call gets a new one. */
  forget(account: CloudAccount, session: Session): void;
  /**
   * A new session, never cached. `externalId` null: without one. One attempt; the caller repeats it.
   * @param purpose the id of what the session is for, which becomes a part of its name
   * @throws CloudError
   */
  assume(roleArn: string, externalId: string | null, purpose: string, signal: AbortSignal): Promise<Session>;
};

export const ASSUME_ROLE = "sts:AssumeRole";
/** The shortest duration that STS allows: leaked credentials are usable for a quarter of an hour at most. */
const SESSION_SECONDS = 900;
/** A call that starts now must still be answered while its session is valid. */
const RENEW_BEFORE_MS = 2 * 60_000;
const MAX_SESSIONS = 5_000;

export function createSessions(sdk: Sdk): Sessions {
  const cached = new LRUCache<string, Session>({ max: MAX_SESSIONS, perf: Date });
  /** Concurrent callers share one request. */
  const underWay = new Map<string, Promise<Session>>();

  async function assume(
    ...[roleArn, externalId, purpose, abortSignal]: Parameters<Sessions["assume"]>
  ): Promise<Session> {
    try {
      const { Credentials } = await sdk.own.send(
        new AssumeRoleCommand({
          RoleArn: roleArn,
          RoleSessionName: sessionNameOf(purpose),
          DurationSeconds: SESSION_SECONDS,
          ...(externalId === null ? {} : { ExternalId: externalId }),
        }),
        { abortSignal },
      );
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
      if (!AccessKeyId || !SecretAccessKey || !SessionToken || Expiration === undefined) {
        throw cloudError(["retryable", "UNAVAILABLE"], ASSUME_ROLE);
      }
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: SessionToken,
        expiration: Expiration,
      };
    } catch (error) {
      throw explain(roleArn, error);
    }
  }

  async function renew(key: string, account: CloudAccount, signal: AbortSignal): Promise<Session> {
    try {
      const session = await assume(account.roleArn, account.connectionId, account.purpose ?? "work", signal);
      const ttl = session.expiration.getTime() - Date.now() - RENEW_BEFORE_MS;
      if (ttl > 0) cached.set(key, session, { ttl });
      return session;
    } finally {
      underWay.delete(key);
    }
  }

  return {
    async of(account, signal) {
      const key = keyOf(account);
      const session = cached.get(key);
      if (session !== undefined) return session;
      const request = underWay.get(key) ?? renew(key, account, signal);
      underWay.set(key, request);
      return await request;
    },
    forget(account, session) {
      const key = keyOf(account);
      if (cached.get(key)?.accessKeyId === session.accessKeyId) cached.delete(key);
    },
    assume,
  };
}

function keyOf({ connectionId, roleArn, purpose = "" }: CloudAccount): string {
  return `${connectionId}/${roleArn}/${purpose}`;
}

/**
 * Shown in the customer's CloudTrail with each call. Must not contain the connection's id, which is the external id
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html has the characters and the length).
 */
export function sessionNameOf(purpose: string): string {
  return `slipway-${purpose.replaceAll(/[^\w+=,.@-]/g, "-")}`.slice(0, 64);
}

/**
 * AWS mostly does not say which side refuses a role of another account. If it does, it uses these words
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html).
 */
const OWN_POLICY_LACKS_IT = /no identity-based policy allows the sts:AssumeRole action/;

/** Whose credentials are wrong decides who has to act. If they are ours, the operator acts, and the error passes. */
function explain(roleArn: string, error: unknown): CloudError {
  if (
    hasName(error, "CredentialsProviderError", "ProviderError", "TokenProviderError") ||
    isSessionError(error)
  ) {
    const message =
      "Slipway's own AWS credentials are missing, expired or not valid. Give the process credentials that may call sts:AssumeRole (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role for the machine).";
    return cloudError(["retryable", "UNAVAILABLE"], ASSUME_ROLE, { message, cause: error });
  }
  if (error instanceof Error && OWN_POLICY_LACKS_IT.test(error.message)) {
    const message =
      "Slipway's own AWS credentials may not call sts:AssumeRole. Allow it on arn:aws:iam::*:role/*.";
    return cloudError(["retryable", "UNAVAILABLE"], ASSUME_ROLE, { message, cause: error });
  }
  const meant = toCloudError(ASSUME_ROLE, error);
  // An invalid role ARN is also the reporter's fault.
  if (meant.kind !== "denied" && meant.kind !== "invalid" && meant.kind !== "gone") return meant;
  const message = `AWS does not let Slipway assume the role ${roleArn}: it was deleted, or it does not trust Slipway's account with this connection's external id. Create the connection's stack again. (If all connections show this, check that Slipway's own credentials may call sts:AssumeRole.)`;
  return cloudError(["denied", "ACCESS_DENIED"], ASSUME_ROLE, { message, cause: error });
}
