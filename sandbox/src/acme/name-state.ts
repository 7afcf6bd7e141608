/** The state of each name: its certificate, the order under way, and the last error. */
import type { ChallengeType } from "./decide-method.ts";
import type { Suggestion, Validity } from "./renewal.ts";

/** A certificate of one name. The private key is sealed. */
export type NameCertificate = Validity & {
  readonly directory: string;
  readonly certificatePem: string;
  readonly sealedKey: string;
  /** RFC 9773, 4.1; null if the CA's certificate has none. */
  readonly renewalId: string | null;
  /** A random number from 0 to 1: where in a renewal window this certificate is renewed. */
  readonly share: number;
  readonly suggestion: Suggestion | null;
  /** When to ask the CA for the renewal window again. */
  readonly askAt: number;
  /** Whether it replaced another one. */
  readonly isRenewed: boolean;
};

/** A challenge that the CA was asked, or will be asked, to check. The key authorization is public by its nature. */
export type KeptChallenge = {
  readonly type: ChallengeType;
  readonly token: string;
  readonly keyAuthorization: string;
};

/**
 * An order under way. It is kept before the CA is asked for it, so `url` is null until the answer came: after a crash
 * in between, the order is looked for among the account's orders.
 */
export type NameOrder = {
  readonly directory: string;
  readonly method: ChallengeType;
  readonly startedAt: number;
  readonly url: string | null;
  /** Whether the order replaces a certificate by ARI. */
  readonly isReplacement: boolean;
  readonly challenge: KeptChallenge | null;
  /** The key of the certificate to come, sealed. Made before the order is finalized. */
  readonly sealedKey: string | null;
};

export type NameError = {
  /** The type of an `AcmeError`, or a word of the checks before an order. */
  readonly type: string;
  readonly message: string;
  readonly at: number;
  readonly directory: string | null;
};

export type NameState = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** When it was first wanted, or wanted again. */
  readonly since: number;
  readonly certificate: NameCertificate | null;
  readonly order: NameOrder | null;
  /** Failed tries since the last success. */
  readonly failures: number;
  /** The challenge of the last failed validation: another one comes first, if possible. */
  readonly failedMethod: ChallengeType | null;
  /** No order begins before. */
  readonly notBefore: number;
  /** Until when a CA does not issue for this name because of a rate limit, by directory. */
  readonly limitedUntil: Readonly<Record<string, number>>;
  readonly error: NameError | null;
};

export function newName(accountId: string, name: string, now: number): NameState {
  return {
    id: nameId(accountId, name),
    accountId,
    name,
    since: now,
    certificate: null,
    order: null,
    failures: 0,
    failedMethod: null,
    notBefore: 0,
    limitedUntil: {},
    error: null,
  };
}

export function nameId(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}

/** The name that a wildcard is validated at. */
export function bareName(name: string): string {
  return name.replace(/^\*\./, "");
}
