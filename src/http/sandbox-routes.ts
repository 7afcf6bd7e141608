import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
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
const PASSED_ON = ["content-type", "accept", "origin", "referer", "sec-fetch-site", "cookie"];
const PASSED_BACK = ["content-type", "location", "set-cookie", "content-security-policy", "cache-control"];
/** Which endpoints of a small cloud are available at the API's address. */
export type ForwardedPaths = {
  readonly prefix: string;
  /** Open without a key, for browsers and stacks; the small cloud guards its forms itself. */
  readonly open: RegExp;
  /** Open to admins. The other endpoints are for Slipway's processes only. */
  readonly forAdmins: RegExp;
  /** About the connection that the path or the body names. */
  readonly stacks: RegExp;
  /** For messages. */
  readonly name: string;
};
export const SANDBOX_PATHS: ForwardedPaths = {
  prefix: "/sandbox/",
  open: /^\/sandbox\/(?:console\/|errors(?:\/|$)|template\.json$|ca\.pem$)/,
  forAdmins:
    /^\/sandbox\/(?:dns\/records|git\/repositories\/[^/]+\/(?:pull-requests(?:\/\d+(?:\/comments\/\d+)?)?|reports|hook|deliveries|faults)|stacks(?:\/[^/]+)?|zones|domain-connect\/(?:zones|templates)|faults|state|ports)$/,
  stacks: /^\/sandbox\/(?:zones$|(?:console\/)?stacks(?:\/(?<id>[^/]+))?$)/,
  name: "sandbox",
};
export const HOST_PATHS: ForwardedPaths = {
  prefix: "/host/",
  open: /^\/host\/(?:connect|style\.css)$/,
  forAdmins: /^\/host\/connections(?:\/[^/]+)?$/,
  stacks: /^\/host\/(?:connect|connections(?:\/(?<id>[^/]+))?)$/,
  name: "edge of this server",
};
/** The console's forms have a few fields. */
const FORM_BYTES = 16_384;
/** The sandbox's names for them (`caller-headers.ts`). */
const ORGANIZATION_HEADER = "x-slipway-organization";
const CONNECTIONS_HEADER = "x-slipway-connections";
const SERVICE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const TIMEOUT_MS = 30_000;
const RETRY_SECONDS = 2;

/**
 * Makes endpoints of the small cloud available on the API's address. All but its pages need an admin's key. Exists only
 * with the sandbox, and with an own server's edge.
 */
export async function registerSandboxRoutes(
  app: FastifyInstance,
  options: {
    paths: ForwardedPaths;
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
  const { connections, paths } = options;
  /**
   * The headers that say for which organization the sandbox is asked. Stacks are made only for existing connections: by
   * their organization, or in the console by anyone who knows the connection's id.
   * @throws AppError `NOT_FOUND` for another organization's connection, and for an unknown one
   */
  async function callerHeaders(request: FastifyRequest): Promise<Readonly<Record<string, string>>> {
    const { actor } = request;
    const stack = paths.stacks.exec(pathOf(request.url));
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
      url: `${paths.prefix}*`,
      schema: { hide: true },
      onRequest: async (request, reply) => {
        const path = pathOf(request.url);
        requireResolved(path, paths);
        if (paths.open.test(path)) return;
        await options.authenticate(request, reply);
        if (request.actor !== null) requireNeeds(request.actor, NEEDS);
        // Checked last: only an admin learns which endpoints exist.
        if (!paths.forAdmins.test(path)) throw nothingHere(paths);
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
          throw noAnswer(request, paths.name, error);
        });
        return await passHead(reply, answer, PASSED_BACK)
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

/** Logs why a small cloud did not answer. @param name for the message */
export function noAnswer(request: FastifyRequest, name: string, error: unknown): AppError {
  request.log.warn({ err: error, requestId: request.id }, "The small cloud does not answer");
  const away = `The ${name} does not answer. Check that \`slipway sandbox\` runs.`;
  return new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, away, { retryAfterSeconds: RETRY_SECONDS });
}

/** Gives the status of a small cloud's answer, and these of its headers. */
export function passHead(reply: FastifyReply, answer: Response, names: readonly string[]): FastifyReply {
  for (const name of names) {
    const value = answer.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  return reply.code(answer.status);
}

/**
 * `fetch` resolves `..`, `%2e%2e` and `\` (URL Standard, path state). A path that was judged to be open could so reach
 * another endpoint, with the sandbox's secret.
 */
function requireResolved(path: string, paths: ForwardedPaths): void {
  if (new URL(`http://sandbox${path}`).pathname === path) return;
  throw nothingHere(paths);
}

export function nothingHere({ name }: ForwardedPaths): AppError {
  return new AppError(HTTP_ERRORS.ROUTE_NOT_FOUND, `The ${name} has nothing at this address.`);
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
