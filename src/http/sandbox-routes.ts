import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Needs, requireNeeds } from "../lib/access.ts";
import type { Actor } from "../lib/actor.ts";
import { AppError, COMMON_ERRORS } from "../lib/errors.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { withoutOwnCookies } from "../lib/own-cookies.ts";
import type { Authenticate } from "./auth.ts";
import { MAX_BODY_BYTES, parseJsonBody } from "../lib/json/json-body.ts";
import { pathOf } from "./problems/problem.ts";
import { joinBlocks } from "./requests/read-body.ts";

/** Of all that is not open. */
const NEEDS: Needs = { role: "admin", scope: "admin", reach: "organization", isWrite: true };
/** Open without a key, for browsers and stacks; the sandbox guards its forms itself. */
const OPEN = /^\/sandbox\/(?:console\/|errors(?:\/|$)|template\.json$|ca\.pem$)/;
const PASSED_ON = ["content-type", "accept", "origin", "referer", "sec-fetch-site", "cookie"];
/** Open to admins. The sandbox's other endpoints are for Slipway's processes only. */
const FOR_ADMINS =
  /^\/sandbox\/(?:dns\/records|stacks(?:\/[^/]+)?|zones|domain-connect\/(?:zones|templates)|faults|state|ports)$/;
/** About the connection that the path or the body names. */
const STACKS = /^\/sandbox\/(?:zones$|(?:console\/)?stacks(?:\/(?<id>[^/]+))?$)/;
/** The console's forms have a few fields. */
const FORM_BYTES = 16_384;
/** The sandbox's names for them (`caller-headers.ts`). */
const ORGANIZATION_HEADER = "x-slipway-organization";
const CONNECTIONS_HEADER = "x-slipway-connections";
const SERVICE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const TIMEOUT_MS = 30_000;
const RETRY_SECONDS = 2;
const AWAY = "The sandbox cloud does not answer. Is `slipway sandbox` running?";

/**
 * Makes the sandbox's own endpoints available on the API's address (design, section 2). All but the console need an
 * admin's key. Exists only with the sandbox cloud.
 */
export async function registerSandboxRoutes(
  app: FastifyInstance,
  options: {
    sandboxUrl: string;
    secret: string | null;
    authenticate: Authenticate;
    connections: {
      /** The organization of a connection; null for an unknown id. */
      readonly ownerOf: (connectionId: string) => Promise<string | null>;
      /** Ids of an organization's newest connections. */
      readonly list: (organizationId: string) => Promise<readonly string[]>;
    };
    /** Records a change that an admin asks the sandbox for, before the sandbox gets it. */
    audit: (actor: Actor, method: string, path: string) => Promise<void>;
  },
): Promise<void> {
  const { connections } = options;
  /**
   * The headers that say for which organization the sandbox is asked. Stacks are made only for existing connections: by
   * their organization, or in the console by anyone who knows the connection's id.
   * @throws AppError `NOT_FOUND` for another organization's connection, and for an unknown one
   */
  async function callerHeaders(request: FastifyRequest): Promise<Readonly<Record<string, string>>> {
    const { actor } = request;
    const stack = STACKS.exec(pathOf(request.url));
    if (actor === null) {
      if (request.method === "GET" || stack === null) return {};
      const serviceId = serviceIdIn(request);
      if (serviceId === null || !SERVICE_ID.test(serviceId)) return {};
      const owner = await connections.ownerOf(serviceId);
      if (owner === null) throw noConnection();
      return { [ORGANIZATION_HEADER]: owner };
    }
    const own = { [ORGANIZATION_HEADER]: actor.organizationId };
    if (stack === null) {
      if (!request.url.startsWith("/sandbox/state")) return own;
      return { ...own, [CONNECTIONS_HEADER]: (await connections.list(actor.organizationId)).join(",") };
    }
    const serviceId = stack.groups?.["id"] ?? serviceIdIn(request);
    if (serviceId === null || !SERVICE_ID.test(serviceId)) return own;
    const owner = await connections.ownerOf(serviceId);
    if (owner === actor.organizationId) return { ...own, [CONNECTIONS_HEADER]: serviceId };
    // The stack of a deleted connection still belongs to its organization; the sandbox remembers it.
    if (owner === null && request.method !== "POST") return own;
    throw noConnection();
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) =>
      joinBlocks(
        await scope.bodies.read(request, payload, request.actor === null ? FORM_BYTES : MAX_BODY_BYTES),
      ),
    );
    scope.route({
      method: ["GET", "POST", "PUT", "DELETE"],
      url: "/sandbox/*",
      schema: { hide: true },
      onRequest: async (request, reply) => {
        const path = pathOf(request.url);
        requireResolved(path);
        if (OPEN.test(path)) return;
        await options.authenticate(request, reply);
        if (request.actor !== null) requireNeeds(request.actor, NEEDS);
        // Checked last: only an admin learns which endpoints exist.
        if (!FOR_ADMINS.test(path)) throw nothingHere();
      },
      handler: async (request, reply) => {
        const headers = new Headers();
        for (const name of PASSED_ON) {
          const value = request.headers[name];
          const passed = name === "cookie" ? withoutOwnCookies(request.headers.cookie) : value;
          if (typeof passed === "string") headers.set(name, passed);
        }
        headers.set("x-request-id", request.id);
        for (const [name, value] of Object.entries(await callerHeaders(request))) headers.set(name, value);
        if (options.secret !== null) headers.set("authorization", `Bearer ${options.secret}`);
        if (request.actor !== null && request.method !== "GET")
          await options.audit(request.actor, request.method, pathOf(request.url));
        const body = request.body instanceof Buffer ? new Uint8Array(request.body) : null;
        const { answer, bytes } = await askSandbox(`${options.sandboxUrl}${request.url}`, {
          method: request.method,
          headers,
          body,
        }).catch((error: unknown) => {
          request.log.warn({ err: error, requestId: request.id }, "The sandbox cloud does not answer");
          throw new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, AWAY, { retryAfterSeconds: RETRY_SECONDS });
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

/** @throws when the sandbox does not answer, or breaks off before its answer is complete */
async function askSandbox(
  url: string,
  init: RequestInit,
): Promise<{ readonly answer: Response; readonly bytes: Buffer }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { ...init, redirect: "manual", signal });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/**
 * `fetch` resolves `..`, `%2e%2e` and `\` (URL Standard, path state). A path that was judged to be open could so reach
 * another endpoint, with the sandbox's secret.
 */
function requireResolved(path: string): void {
  if (new URL(`http://sandbox${path}`).pathname === path) return;
  throw nothingHere();
}

function nothingHere(): AppError {
  return new AppError(HTTP_ERRORS.ROUTE_NOT_FOUND, "The sandbox has nothing at this address.");
}

function noConnection(): AppError {
  return new AppError(
    COMMON_ERRORS.NOT_FOUND,
    "There is no connection with this id. Connect a cloud account first; the response has its id.",
  );
}

/** The connection that a request to make a stack names; null if the request is invalid, which the sandbox will say. */
function serviceIdIn(request: FastifyRequest): string | null {
  if (!(request.body instanceof Buffer)) return null;
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return new URLSearchParams(request.body.toString()).get("ServiceId");
  }
  if (!type.startsWith("application/json")) return null;
  const body = parseJsonBody(request.body);
  const id = typeof body === "object" && body !== null && "ServiceId" in body ? body.ServiceId : null;
  return typeof id === "string" ? id : null;
}
