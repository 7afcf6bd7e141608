/** A certified OpenID provider on this machine, whose people need not type anything. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export type Person = {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
};

export type IdentityProvider = {
  readonly issuer: string;
  /** The person who signs in from now on; null: the provider refuses the sign-in. */
  person: Person | null;
  /** People can sign in, and then it goes down: it answers 503 to who asks for tokens. */
  isWithoutTokens: boolean;
  /** Answers from now on, and takes browsers back to these. */
  open(redirectUris: readonly string[]): void;
  /** Answers nothing but 503. */
  close(): void;
  stop(): Promise<void>;
};

export const CLIENT_ID = "slipway";
export const CLIENT_SECRET = "canary-client-secret-0123456789abcdef";

/**
 * Listens at once, and answers 503 until it is opened.
 * @param method the only way to prove who the client is; all by default
 */
export async function startIdentityProvider(
  method?: "client_secret_basic" | "client_secret_post" | "client_secret_jwt",
): Promise<IdentityProvider> {
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  const server = createServer((request, response) => {
    if (handle === null || (self.isWithoutTokens && request.url === "/token"))
      response.writeHead(503).end("closed");
    else handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const make = (redirectUris: readonly string[]): typeof handle => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [...redirectUris],
          response_types: ["code"],
          grant_types: ["authorization_code"],
          ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
        },
      ],
      ...(method === undefined ? {} : { clientAuthMethods: [method] }),
      cookies: { keys: ["a key of the test"] },
      scopes: ["openid", "profile", "email", "groups"],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
      // As at most providers, groups are not in the ID token: Slipway has to request them.
      conformIdTokenClaims: true,
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ ...self.person, sub: id }) }),
      async loadExistingGrant({ oidc }) {
        const { client, session } = oidc;
        const grant = new provider.Grant({
          clientId: client?.clientId ?? "",
          accountId: session?.accountId ?? "",
        });
        grant.addOIDCScope("openid profile email groups");
        await grant.save();
        return grant;
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      ttl: { Session: 1, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    });
    const answer = provider.callback();
    return (request, response) => {
      if (request.url?.startsWith("/interaction/") !== true) return void answer(request, response);
      const result =
        self.person === null
          ? { error: "access_denied", error_description: "not today" }
          : { login: { accountId: self.person.sub, remember: false } };
      void provider.interactionFinished(request, response, result);
    };
  };

  const self: IdentityProvider = {
    issuer,
    person: null,
    isWithoutTokens: false,
    open: (redirectUris) => void (handle = make(redirectUris)),
    close: () => void (handle = null),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}
