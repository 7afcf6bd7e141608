/** Answers to a certificate authority that checks who controls a name. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Challenges } from "./challenges.ts";
import { sendText } from "./edge-text.ts";
import type { KeyPair } from "./key-pair.ts";

/**
 * The part of `Challenges` that an edge answers. A promise is for an edge that asks another program.
 *
 * To check that a name leads to this edge, publish a token by `httpAnswer` and fetch it as the authority would: the
 * check then takes the way of the challenge itself.
 */
export type ChallengeAnswers = {
  httpAnswer(hostName: string, token: string): ReturnType<Challenges["httpAnswer"]> | Promise<string | null>;
  alpnPair(hostName: string): ReturnType<Challenges["alpnPair"]> | Promise<KeyPair | null>;
};

/** The protocol of a handshake that only checks a name (RFC 8737, section 6.2). */
export const ACME_TLS = "acme-tls/1";

/** RFC 8555, section 8.3: a token has only characters of base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/(?<token>[\w-]{1,128})$/;

/** The token of a request for the answer to a challenge; null for any other request. */
export function challengeTokenOf(url: string | undefined): string | null {
  return CHALLENGE.exec(url ?? "")?.groups?.["token"] ?? null;
}

/** Answers http-01 (RFC 8555, section 8.3). */
export async function answerHttpChallenge(
  challenges: ChallengeAnswers | null,
  hostName: string,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const answer = isRead ? ((await challenges?.httpAnswer(hostName, token)) ?? null) : null;
  if (answer === null) return sendText(response, 404, "This token is not of a running challenge.");
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    "content-length": Buffer.byteLength(answer),
  });
  response.end(request.method === "HEAD" ? undefined : answer);
}

/** Whether the first bytes of a connection, a whole ClientHello, offer `acme-tls/1`. */
export function offersAcmeTls(clientHello: Buffer): boolean {
  // RFC 7301, section 3.1: each protocol follows its length. The handshake itself then decides.
  return clientHello.includes(`${String.fromCodePoint(ACME_TLS.length)}${ACME_TLS}`, 0, "latin1");
}
