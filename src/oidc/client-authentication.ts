/** How Slipway proves at a token endpoint that it is the client (OpenID Connect Core, section 9). */
import type * as openidClient from "openid-client";

/** The ways to use a shared secret, best first. */
export const METHODS = ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const;

type Metadata = Pick<openidClient.ServerMetadata, "token_endpoint_auth_methods_supported">;

/** The way that the provider takes; null if it takes none of ours. A provider that lists none takes the first. */
export function findMethod(metadata: Metadata): (typeof METHODS)[number] | null {
  const { token_endpoint_auth_methods_supported: supported = [METHODS[0]] } = metadata;
  return METHODS.find((method) => supported.includes(method)) ?? null;
}

/** @param secret null for a public client */
export function chooseAuthentication(
  oidc: typeof openidClient,
  secret: string | null,
): openidClient.ClientAuth {
  if (secret === null) return oidc.None();
  const ways = {
    client_secret_basic: oidc.ClientSecretBasic(secret),
    client_secret_post: oidc.ClientSecretPost(secret),
    client_secret_jwt: oidc.ClientSecretJwt(secret),
  };
  // The metadata is only known after discovery, which the client is made for.
  return (metadata, ...rest) => ways[findMethod(metadata) ?? METHODS[0]](metadata, ...rest);
}
