/** An OpenID provider that answers with the ID token that a test wants, signed with its own key or another. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

export type ForgingProvider = {
  readonly issuer: string;
  /** Signs a token as this provider does. @param key its own by default */
  sign(
    claims: JWTPayload,
    options?: { readonly alg?: "RS256" | "ES256"; readonly key?: Keys["privateKey"] },
  ): Promise<string>;
  /** Makes the ID token of the next sign-in, given the nonce that was asked for. */
  answer: (nonce: string) => Promise<string>;
  /** What the discovery document says differently. */
  discovery: Record<string, unknown>;
  /** Answers in place of its keys; null: they are answered. */
  inPlaceOfKeys: ((response: ServerResponse) => void) | null;
  /** How often its keys were asked for. */
  keysAsked(): number;
  /** Makes a new signing key, and deletes the old one. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
};

/** Its key ids, RS256 and ES256. */
export async function startForgingProvider(): Promise<ForgingProvider> {
  let generation = 0;
  let keys = { RS256: await generateKeyPair("RS256"), ES256: await generateKeyPair("ES256") };
  let nonce = "";
  let asked = 0;
  const kidOf = (alg: string): string => `${alg}-${generation}`;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    const send = (body: object): void =>
      void response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    void (async () => {
      if (url.pathname === "/.well-known/openid-configuration") {
        send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          ...self.discovery,
        });
      } else if (url.pathname === "/keys") {
        asked += 1;
        if (self.inPlaceOfKeys !== null) return self.inPlaceOfKeys(response);
        const jwks = await Promise.all(
          Object.entries(keys).map(async ([alg, { publicKey }]) => ({
            ...(await exportJWK(publicKey)),
            alg,
            kid: kidOf(alg),
            use: "sig",
          })),
        );
        send({ keys: jwks });
      } else if (url.pathname === "/authorize") {
        nonce = url.searchParams.get("nonce") ?? "";
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        back.search = new URLSearchParams({
          code: "code",
          state: url.searchParams.get("state") ?? "",
        }).toString();
        response.writeHead(303, { location: back.href }).end();
      } else if (url.pathname === "/token") {
        send({ access_token: "access", token_type: "Bearer", id_token: await self.answer(nonce) });
      } else response.writeHead(404).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: ForgingProvider = {
    issuer,
    discovery: {},
    inPlaceOfKeys: null,
    sign: async (claims, { alg = "RS256", key = keys[alg].privateKey } = {}) =>
      await new SignJWT(claims).setProtectedHeader({ alg, kid: kidOf(alg) }).sign(key),
    answer: async () => {
      throw new Error("No answer was set.");
    },
    keysAsked: () => asked,
    async rotate() {
      generation += 1;
      keys = { RS256: await generateKeyPair("RS256"), ES256: await generateKeyPair("ES256") };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}
