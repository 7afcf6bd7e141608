import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HTTP_ERRORS } from "../../../src/http/errors.ts";
import { sendProblem } from "./problems.ts";

/** Refuses who does not know the secret. Compares in constant time. @param isGuarded all requests when left out */
export function requireSecret(
  app: FastifyInstance,
  secret: string,
  isGuarded: (request: FastifyRequest) => boolean = () => true,
): void {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const wanted = digest(`Bearer ${secret}`);
  app.addHook("onRequest", async (request, reply) => {
    if (!isGuarded(request)) return;
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), wanted)) return;
    reply.header("www-authenticate", "Bearer");
    await sendProblem(
      reply,
      HTTP_ERRORS.UNAUTHENTICATED,
      "The sandbox only accepts calls from its own Slipway.",
    );
  });
}
