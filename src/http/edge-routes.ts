import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, COMMON_ERRORS } from "../lib/errors.ts";
import { MAX_BODY_BYTES } from "../lib/json/json-body.ts";
import { pathOf } from "./problems/problem.ts";
import { joinBlocks } from "./requests/read-body.ts";
import { HOST_PATHS, noAnswer, nothingHere, passHead } from "./sandbox-routes.ts";
import { disconnectSignal } from "./streams.ts";

/** An edge waits up to 30 s for a change. */
const TIMEOUT_MS = 40_000;
const RETRY_SECONDS = 2;
const PASSED_ON = ["authorization", "content-type", "if-none-match"];
const PASSED_BACK = ["content-type", "etag", "cache-control", "www-authenticate"];
const PATHS = /^\/edge\/(?:snapshot|part|files?|challenge|report)$/;
/** An edge waits at it for a change. */
const WAITING = "/edge/snapshot";

/**
 * Makes what edges on other machines read available on the API's address. They authenticate with their own secret.
 * @param draining ends requests that only wait
 */
export async function registerEdgeForwarding(
  app: FastifyInstance,
  { url, draining }: { readonly url: string; readonly draining: AbortSignal },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) =>
      joinBlocks(await scope.bodies.read(request, payload, MAX_BODY_BYTES)),
    );
    scope.route({
      method: ["GET", "POST"],
      url: "/edge/*",
      schema: { hide: true },
      handler: async (request, reply) => {
        const path = pathOf(request.url);
        if (!PATHS.test(path)) throw nothingHere(HOST_PATHS);
        const headers = new Headers();
        for (const name of PASSED_ON) {
          const value = request.headers[name];
          if (typeof value === "string") headers.set(name, value);
        }
        const left = disconnectSignal(reply);
        const ended = path === WAITING ? AbortSignal.any([left, draining]) : left;
        const answer = await fetch(`${url}${request.url}`, {
          method: request.method,
          headers,
          body: request.body instanceof Buffer ? new Uint8Array(request.body) : null,
          redirect: "manual",
          signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
        }).catch((error: unknown) => {
          throw ended.aborted
            ? new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, "This process is stopping.", {
                retryAfterSeconds: RETRY_SECONDS,
              })
            : noAnswer(request, HOST_PATHS.name, error);
        });
        passHead(reply, answer, PASSED_BACK);
        return answer.body === null ? reply.send() : reply.send(Readable.fromWeb(answer.body));
      },
    });
  });
}
