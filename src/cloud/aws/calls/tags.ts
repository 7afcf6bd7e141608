import { createHash } from "node:crypto";
import type { CloudAccount } from "../../cloud.ts";

/**
 * The tag on everything that Slipway creates in a customer's account. Its value is the connection's id.
 * The role's policy requires it too, so things without it are out of reach even if our own check fails.
 */
export const CONNECTION_TAG = "slipway:connection";

/** The tag on everything that Slipway creates for an environment, or for a preview: its id. */
export const ENVIRONMENT_TAG = "slipway:environment";

/** The digest of the token that created the resource, which finds it again after a lost answer. */
export const TOKEN_TAG = "slipway:token";

export type Tag = { readonly Key?: string | undefined; readonly Value?: string | undefined };

export function tagsFor(
  { connectionId, environmentId = null }: CloudAccount,
  token: string,
): { Key: string; Value: string }[] {
  return [
    { Key: CONNECTION_TAG, Value: connectionId },
    { Key: TOKEN_TAG, Value: token },
    ...(environmentId === null ? [] : [{ Key: ENVIRONMENT_TAG, Value: environmentId }]),
  ];
}

export function isOurs(account: CloudAccount, tags: readonly Tag[] | undefined): boolean {
  return hasTag(tags, CONNECTION_TAG, account.connectionId);
}

export function hasTag(tags: readonly Tag[] | undefined, key: string, value: string): boolean {
  return tags?.some((tag) => tag.Key === key && tag.Value === value) ?? false;
}

/**
 * A caller's token in a form that AWS accepts: only hexadecimal digits. ACM allows 32 characters (`\w+`),
 * Secrets Manager requires 32 to 64, CloudFront allows at most 128.
 */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 32);
}
