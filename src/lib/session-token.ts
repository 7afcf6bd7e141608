import { checksumOf, randomText } from "./api-key.ts";

/** Mark, organization, 160 random bits, CRC-32. */
const FORM = /^sls_(?<organization>[0-9A-Za-z]{1,60})[.][0-9A-Za-z]{33}$/;
const CHECKSUM_LENGTH = 6;

/**
 * A new token, in base62 like an API key. It says its organization: unlike a key, it is found with one statement, and
 * leaves no row in `owners`, although there are many of them and they live for hours.
 */
export function newSessionToken(organizationId: string): string {
  const body = `sls_${organizationId.replace(/^org_/, "")}.${randomText()}`;
  return `${body}${checksumOf(body)}`;
}

/** The organization that a token says; null for a mistyped one and for any other text. Says nothing of its validity. */
export function organizationOfToken(text: string): string | null {
  if (text.slice(-CHECKSUM_LENGTH) !== checksumOf(text.slice(0, -CHECKSUM_LENGTH))) return null;
  const organization = FORM.exec(text)?.groups?.["organization"];
  return organization === undefined ? null : `org_${organization}`;
}
