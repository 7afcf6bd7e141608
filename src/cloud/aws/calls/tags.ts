import type { CloudAccount } from "../../cloud.ts";

/**
 * The tag that all of Slipway's things in a customer's account carry, with the connection's id as value.
 * The role's policy names it too, so what lacks it is out of reach even should our own check fail.
 */
export const CONNECTION_TAG = "slipway:connection";

/** The digest of the token that made the thing, by which it is found again after a lost answer. */
export const TOKEN_TAG = "slipway:token";

export type Tag = { readonly Key?: string | undefined; readonly Value?: string | undefined };

export function tagsFor(account: CloudAccount, token: string): { Key: string; Value: string }[] {
  return [
    { Key: CONNECTION_TAG, Value: account.connectionId },
    { Key: TOKEN_TAG, Value: token },
  ];
}

export function isOurs(account: CloudAccount, tags: readonly Tag[] | undefined): boolean {
  return hasTag(tags, CONNECTION_TAG, account.connectionId);
}

export function hasTag(tags: readonly Tag[] | undefined, key: string, value: string): boolean {
  return tags?.some((tag) => tag.Key === key && tag.Value === value) ?? false;
}
