import type { FastifyInstance } from "fastify";
import { requireRole } from "../actor.ts";
import { AppError } from "../errors.ts";
import type { Authenticate } from "./auth.ts";
import { pathOf } from "./problem.ts";

/** What a browser or a stack opens without a key; the sandbox guards its forms itself. */
const OPEN = /^\/sandbox\/(?:console\/|template\.json$|ca\.pem$)/;
const PASSED_ON = ["content-type", "accept", "origin", "referer", "sec-fetch-site", "cookie"];
const TIMEOUT_MS = 30_000;
const RETRY_SECONDS = 2;
const AWAY = "The sandbox cloud does not answer. Is `slipway sandbox` running?";

/**
 * Reaches the sandbox's own endpoints on the API's address (design, section 2). All but the console need
 * an admin's key. Exists only with the sandbox cloud.
 */
export async function registerSandboxRoutes(
  app: FastifyInstance,
  options: {
    sandboxUrl: string;
    secret: string | null;
    authenticate: Authenticate;
  },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.route({
      method: ["GET", "POST", "PUT", "DELETE"],
      url: "/sandbox/*",
      schema: { hide: true },
      onRequest: async (request, reply) => {
        const path = pathOf(request.url);
        requireResolved(path);
        if (OPEN.test(path)) return;
        await options.authenticate(request, reply);
        if (request.actor !== null) requireRole(request.actor, "admin");
      },
      handler: async (request, reply) => {
        const headers = new Headers();
        for (const name of PASSED_ON) {
          const value = request.headers[name];
          if (typeof value === "string") headers.set(name, value);
        }
        headers.set("x-request-id", request.id);
        if (options.secret !== null) headers.set("authorization", `Bearer ${options.secret}`);
        const body = request.body instanceof Buffer ? new Uint8Array(request.body) : null;
        const { answer, bytes } = await askSandbox(`${options.sandboxUrl}${request.url}`, {
          method: request.method,
          headers,
          body,
        }).catch((error: unknown) => {
          request.log.warn({ err: error, requestId: request.id }, "The sandbox cloud does not answer");
          throw new AppError("CLOUD_UNAVAILABLE", AWAY, { retryAfterSeconds: RETRY_SECONDS });
        });
        for (const name of [
          "content-type",
          "location",
          "set-cookie",
          "content-security-policy",
          "cache-control",
        ]) {
          const value = answer.headers.get(name);
          if (value !== null) reply.header(name, value);
        }
        return await reply
          .code(answer.status)
          .serializer((payload) => payload as string)
          .send(bytes);
      },
    });
  });
}

/** @throws when it is not there, or breaks off before its answer is whole */
async function askSandbox(
  url: string,
  init: RequestInit,
): Promise<{ readonly answer: Response; readonly bytes: Buffer }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { ...init, redirect: "manual", signal });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/**
 * `fetch` resolves `..`, `%2e%2e` and `\` (URL Standard, path state), so that what was judged open would
 * be asked for at another address, with the sandbox's secret.
 */
function requireResolved(path: string): void {
  if (new URL(`http://sandbox${path}`).pathname === path) return;
  throw new AppError("ROUTE_NOT_FOUND", "The sandbox has nothing at this address.");
}
