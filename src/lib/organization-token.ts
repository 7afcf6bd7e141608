import { checksumOf, hashApiKey, randomText } from "./api-key.ts";

const MARKS = { session: "sls", workload: "slx" } as const;
export type TokenKind = keyof typeof MARKS;

/** Mark, organization, 160 random bits, CRC-32. */
const FORM = /^(?<mark>sls|slx)_(?<organization>[0-9A-Za-z]{1,60})[.][0-9A-Za-z]{33}$/;
const CHECKSUM_LENGTH = 6;

/**
 * A new token, in base62 like an API key. It says its organization: unlike a key, it is found with one statement, and
 * leaves no row in `owners`, although there are many of them and they live for hours at most.
 */
export function newToken(kind: TokenKind, organizationId: string): string {
  const body = `${MARKS[kind]}_${organizationId.replace(/^org_/, "")}.${randomText()}`;
  return `${body}${checksumOf(body)}`;
}

/** What a token says of itself; null for a mistyped one and for any other text. Says nothing of its validity. */
export function readToken(
  text: string,
): { readonly kind: TokenKind; readonly organizationId: string } | null {
  if (text.slice(-CHECKSUM_LENGTH) !== checksumOf(text.slice(0, -CHECKSUM_LENGTH))) return null;
  const { mark, organization } = FORM.exec(text)?.groups ?? {};
  if (organization === undefined) return null;
  return { kind: mark === MARKS.session ? "session" : "workload", organizationId: `org_${organization}` };
}

/** A request of a session has its token in the cookie and its page key in this header. */
export const PAGE_KEY_HEADER = "slipway-page-key";

/** The half of a session that only pages of Slipway's own address have: 160 random bits. */
export function newPageKey(): string {
  return randomText();
}

/** The stored hash of a session. Both halves are needed: a cookie also reaches other ports of its host. */
export function hashSession(token: string, pageKey: string): Uint8Array {
  return hashApiKey(`${token} ${pageKey}`);
}
