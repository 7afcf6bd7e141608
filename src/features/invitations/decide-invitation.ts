/** How an invited person can sign in, and what follows from the answer of the mail server. Pure. */
import type { ProviderSettings } from "../../oidc/provider.ts";
import type { MailAnswer } from "../notifications/mailer.ts";
import type { ShownUser } from "../users/user.ts";

/** What the person can use. Without any, an invitation would lead to a refusal. */
export type WaysToSignIn = {
  /** The labels of identity providers. */
  readonly providers: readonly string[];
  readonly hasKey: boolean;
};

type Provider = Pick<ProviderSettings, "label" | "issuer" | "rules" | "organizationId" | "linksByEmail">;

/**
 * A provider counts if it leads to the organization, and its person becomes this user: it has signed the user in before,
 * or the user is new and the provider links by address. At another provider, the sign-in would be `EMAIL_TAKEN`.
 * @param firstOrganizationId where providers without an organization lead
 */
export function decideWays(
  providers: readonly Provider[],
  {
    organizationId,
    providerIssuers,
    hasKey,
  }: Pick<ShownUser, "organizationId" | "providerIssuers" | "hasKey">,
  firstOrganizationId: string | null,
): WaysToSignIn {
  const isNew = providerIssuers.length === 0;
  const usable = providers.filter(
    (provider) =>
      provider.rules.some(
        (rule) => (rule.organizationId ?? provider.organizationId ?? firstOrganizationId) === organizationId,
      ) && (isNew ? provider.linksByEmail : providerIssuers.includes(provider.issuer)),
  );
  return { providers: usable.map(({ label }) => label), hasKey };
}

export const hasWay = ({ providers, hasKey }: WaysToSignIn): boolean => hasKey || providers.length > 0;

/** After each failed attempt, in milliseconds: about 80 minutes in all. */
const RETRY_AFTER_MS = [60_000, 300_000, 900_000, 3_600_000] as const;

export type NextStep = { readonly status: "SENT" | "FAILED" } | { readonly retryAfterMs: number };

/** @param attempts how many there were, with this one */
export function decideNextStep(attempts: number, { errorCode, reply }: MailAnswer): NextStep {
  if (errorCode === null) return { status: "SENT" };
  // RFC 5321, section 4.2.1: a reply of 5yz is permanent. Without a reply, the address itself was refused.
  const isPermanent = errorCode === "MAIL_REFUSED" && (reply === null || reply.startsWith("5"));
  const retryAfterMs = RETRY_AFTER_MS[attempts - 1];
  return isPermanent || retryAfterMs === undefined ? { status: "FAILED" } : { retryAfterMs };
}
