/**
 * One identity provider. What it says of itself (discovery) is read when it is first needed, so that a provider that is
 * down delays no start. A failure is remembered for seconds only.
 */
import type * as openidClient from "openid-client";
import { describeFailure, toOidcError } from "./describe-failure.ts";
import { hasClaim, type Identity, identityOf } from "./identity.ts";
import { OidcError } from "./oidc-error.ts";

/** What an operator configures (`SLIPWAY_OIDC_…`). */
export type ProviderSettings = {
  /** In its addresses; lower case. */
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly rules: readonly GroupRule[];
  /** Where rules without an organization lead; null: the first of the installation. */
  readonly organizationId: string | null;
  /** Whether who signs in first becomes the user that has the same verified address. */
  readonly linksByEmail: boolean;
};

/** Which role a group has, and in which organization. The group `*` is everyone who signs in. */
export type GroupRule = {
  readonly group: string;
  readonly role: "viewer" | "developer" | "admin";
  readonly organizationId: string | null;
};

/** The state that is kept from the redirect to the provider until its callback. */
export type Attempt = { readonly state: string; readonly nonce: string; readonly verifier: string };

export type Provider = {
  readonly settings: ProviderSettings;
  readonly callbackUrl: string;
  /** Where to send the browser. @throws OidcError `unavailable` */
  begin(): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** @param query of the callback, as it came @throws OidcError */
  finish(query: string, attempt: Attempt): Promise<Identity>;
  /** Why it cannot be used now, in a sentence; null if it can. @param isFresh whether it is asked again in any case */
  findProblem(isFresh?: boolean): Promise<string | null>;
  /** What the last sign-in lacked, in a sentence; null if nothing. This process remembers it. */
  lack(): string | null;
  /** Where signing out there begins; null if it has no such address, or did not answer yet. */
  signOutUrl(): string | null;
};

/** How long a request to the provider may take, and how long a failure is remembered. */
const TIMEOUT_SECONDS = 5;
const FAILURE_KEPT_MS = 3_000;
/** Keys and addresses of a provider change rarely. Keys that are missing are asked for at once. */
const KEPT_MS = 3_600_000;

/** The ways to prove with a shared secret that Slipway is the client, best first (OpenID Connect Core, section 9). */
const METHODS = ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const;

type Found = { readonly oidc: typeof openidClient; readonly config: openidClient.Configuration };

/** @param publicUrl where browsers reach Slipway: the provider sends them back there */
export function createProvider(settings: ProviderSettings, publicUrl: string): Provider {
  const callbackUrl = `${publicUrl}/auth/oidc/${settings.name}/callback`;
  let known: Found | null = null;
  let asked: { readonly found: Promise<Found>; readonly untilMs: number } | null = null;
  let lack: string | null = null;

  const discover = async (): Promise<Found> => {
    // Loaded with the first use: most installations have no provider.
    const oidc = await import("openid-client");
    const { issuer, clientId, clientSecret } = settings;
    const authentication = chooseAuthentication(oidc, clientSecret);
    const execute = [oidc.enableNonRepudiationChecks];
    // `config.ts` only takes such an issuer on this machine.
    if (issuer.startsWith("http:")) execute.push(oidc.allowInsecureRequests);
    const options = { execute, timeout: TIMEOUT_SECONDS };
    const config = await oidc.discovery(new URL(issuer), clientId, undefined, authentication, options);
    return { oidc, config };
  };
  const find = async (isFresh = false): Promise<Found> => {
    if (isFresh || asked === null || asked.untilMs <= Date.now()) {
      const found = discover();
      asked = { found, untilMs: Date.now() + KEPT_MS };
      found.then(
        (now) => (known = now),
        () => (asked = { found, untilMs: Date.now() + FAILURE_KEPT_MS }),
      );
    }
    try {
      return await asked.found;
    } catch (error) {
      throw new OidcError("unavailable", `${settings.label} does not answer as an identity provider.`, error);
    }
  };

  return {
    settings,
    callbackUrl,
    async begin() {
      const { oidc, config } = await find();
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: callbackUrl,
        scope: settings.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, attempt };
    },
    async finish(query, attempt) {
      const { oidc, config } = await find();
      try {
        // From the public URL, not from the request, because the client chooses its Host.
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${callbackUrl}?${query}`), {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new OidcError("invalid", "The provider sent no ID token.");
        const isComplete =
          hasClaim(claims, settings.groupsClaim) || config.serverMetadata().userinfo_endpoint === undefined;
        const more = isComplete ? {} : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
        const identity = identityOf(claims, more, settings.groupsClaim);
        lack = findLack(identity, [claims, more], settings);
        return identity;
      } catch (error) {
        throw toOidcError(error, settings.label);
      }
    },
    async findProblem(isFresh) {
      try {
        const { config } = await find(isFresh);
        const metadata = config.serverMetadata();
        const methods = metadata.code_challenge_methods_supported;
        if (methods?.includes("S256") === false)
          return "It does not support PKCE with S256, which Slipway requires.";
        return settings.clientSecret === null || findMethod(metadata) !== null
          ? null
          : `Its token endpoint takes none of the ways in which Slipway sends its secret: ${METHODS.join(", ")}.`;
      } catch (error) {
        return `${settings.issuer} did not answer as an OpenID provider: ${describeFailure((error as OidcError).cause)}.`;
      }
    },
    lack: () => lack,
    signOutUrl() {
      if (known?.config.serverMetadata().end_session_endpoint === undefined) return null;
      const back = { post_logout_redirect_uri: `${publicUrl}/sign-in` };
      return known.oidc.buildEndSessionUrl(known.config, back).href;
    },
  };
}

/** Rules for groups need groups. With the rule `*` only, none are missed. */
function findLack(
  { groups, isWithoutGroups }: Identity,
  sources: readonly Readonly<Record<string, unknown>>[],
  { groupsClaim, rules }: ProviderSettings,
): string | null {
  if (rules.every(({ group }) => group === "*")) return null;
  if (isWithoutGroups)
    return `At the last sign-in, it left out the claim ${groupsClaim} because the person has too many groups. Let it send only the groups that are assigned to this application.`;
  const isThere = groups.length > 0 || sources.some((claims) => hasClaim(claims, groupsClaim));
  return isThere
    ? null
    : `At the last sign-in, it sent no claim ${groupsClaim}. Add the claim at the provider, request its scope, or set GROUPS_CLAIM.`;
}

type Metadata = Pick<openidClient.ServerMetadata, "token_endpoint_auth_methods_supported">;

/** The way that the provider takes; null if it takes none of ours. A provider that lists none takes the first. */
function findMethod(metadata: Metadata): (typeof METHODS)[number] | null {
  const { token_endpoint_auth_methods_supported: supported = [METHODS[0]] } = metadata;
  return METHODS.find((method) => supported.includes(method)) ?? null;
}

/** @param secret null for a public client */
function chooseAuthentication(oidc: typeof openidClient, secret: string | null): openidClient.ClientAuth {
  if (secret === null) return oidc.None();
  const ways = {
    client_secret_basic: oidc.ClientSecretBasic(secret),
    client_secret_post: oidc.ClientSecretPost(secret),
    client_secret_jwt: oidc.ClientSecretJwt(secret),
  };
  // The metadata is only known after discovery, which the client is made for.
  return (metadata, ...rest) => ways[findMethod(metadata) ?? METHODS[0]](metadata, ...rest);
}
