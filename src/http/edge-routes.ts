import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { AppError, COMMON_ERRORS } from "../lib/errors.ts";
import { pathOf } from "./problems/problem.ts";

/** An edge waits up to 30 s for a change. */
const TIMEOUT_MS = 40_000;
const RETRY_SECONDS = 2;
const REPORT_MAX_BYTES = 16_777_216;
const PASSED_ON = ["authorization", "content-type", "if-none-match"];
const PATHS = /^\/edge\/(?:snapshot|challenge|report)$/;

/** Makes what edges on other machines read available on the API's address. They authenticate with their own secret. */
export async function registerEdgeForwarding(app: FastifyInstance, url: string): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: REPORT_MAX_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.route({
      method: ["GET", "POST"],
      url: "/edge/*",
      schema: { hide: true },
      handler: async (request, reply) => {
        if (!PATHS.test(pathOf(request.url))) return reply.callNotFound();
        const headers = new Headers();
        for (const name of PASSED_ON) {
          const value = request.headers[name];
          if (typeof value === "string") headers.set(name, value);
        }
        const answer = await fetch(`${url}${request.url}`, {
          method: request.method,
          headers,
          body: request.body instanceof Buffer ? new Uint8Array(request.body) : null,
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        }).catch(() => {
          throw new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, "The edge of this server does not answer.", {
            retryAfterSeconds: RETRY_SECONDS,
          });
        });
        for (const name of ["content-type", "etag", "cache-control", "www-authenticate"]) {
          const value = answer.headers.get(name);
          if (value !== null) reply.header(name, value);
        }
        reply.code(answer.status);
        return answer.body === null ? reply.send() : reply.send(Readable.fromWeb(answer.body));
      },
    });
  });
}
