/** The part of an edge that answers a CA's challenges, on free loopback ports. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSecureContext, createServer as createTlsServer } from "node:tls";
import type { Challenges } from "../../../edge/src/challenges.ts";

export type ChallengeEdge = {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Whose answers it gives. */
  use(challenges: Challenges): void;
  /** Whether it answers on the port for HTTP; at first it does. */
  answerHttp(does: boolean): void;
  /** How many requests for answers came, probes of Slipway's included. */
  asked(): number;
  stop(): Promise<void>;
};

/** @param ports to listen on; by default, free ones */
export async function startChallengeEdge(
  ports: { readonly http: number; readonly https: number } = { http: 0, https: 0 },
): Promise<ChallengeEdge> {
  let challenges: Challenges | null = null;
  let doesHttp = true;
  let count = 0;
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://edge");
    const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(pathname)?.[1] ?? "";
    const hostName = (request.headers.host ?? "").replace(/:\d+$/, "");
    count += 1;
    const body = doesHttp ? challenges?.httpAnswer(hostName, token) : null;
    response.writeHead(typeof body === "string" ? 200 : 404).end(body ?? "");
  });
  const https = createTlsServer({
    ALPNProtocols: ["acme-tls/1"],
    SNICallback(hostName, done) {
      const pair = challenges?.alpnPair(hostName);
      if (pair === null || pair === undefined) return done(new Error("unknown name"));
      return done(null, createSecureContext({ cert: pair.certificatePem, key: pair.privateKeyPem }));
    },
  });
  https.on("tlsClientError", () => undefined);
  http.listen(ports.http, "127.0.0.1");
  https.listen(ports.https, "127.0.0.1");
  await Promise.all([once(http, "listening"), once(https, "listening")]);
  return {
    httpPort: (http.address() as AddressInfo).port,
    httpsPort: (https.address() as AddressInfo).port,
    use: (given) => void (challenges = given),
    answerHttp: (does) => void (doesHttp = does),
    asked: () => count,
    async stop() {
      http.closeAllConnections();
      http.close();
      https.close();
      await Promise.all([once(http, "close"), once(https, "close")]);
    },
  };
}
