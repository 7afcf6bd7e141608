import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { type SerializerFactory, SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "../lib/log.ts";
import { AppError, COMMON_ERRORS, invalidRequest } from "../lib/errors.ts";
import { HTTP_ERRORS } from "./errors.ts";
import { sendError } from "./problems/error-response.ts";
import { type Bodies, charsetsOf, createBodies, requirePlain, requirePlainUtf8 } from "./requests/bodies.ts";
import { decodeText } from "./requests/decode-text.ts";
import { MAX_BODY_BYTES, parseJsonBody } from "../lib/json/json-body.ts";
import { describeRoutes } from "./openapi/openapi.ts";
import type { DescribedWebhook } from "./openapi/openapi-operation.ts";
import type { ErrorCatalogue } from "./problems/error-catalogue.ts";
import { pathOf } from "./problems/problem.ts";
import { joinBlocks } from "./requests/read-body.ts";
import { createValidators, type Part } from "./requests/validation.ts";

/** A Fastify server with our conventions: strict JSON, problem documents, request ids, OpenAPI. No routes yet. */
export async function createServer(options: {
  log: Logger;
  publicUrl: string;
  /** All that clients can be refused with, for the reference. */
  catalogue: ErrorCatalogue;
  /** The requests to webhook endpoints, for the reference. */
  webhooks: readonly DescribedWebhook[];
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Whether this process serves TLS. */
  isSecure: boolean;
  onServed: (request: FastifyRequest, status: number, seconds: number) => void;
}): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // The few log lines of a request name the request themselves; a logger for each request costs more.
    childLoggerFactory: (logger) => logger,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 300 },
    schemaController: { compilersFactory: { buildSerializer: buildSerializersLate() } },
    frameworkErrors: (error, request, reply) => {
      void sendError(error, request, reply);
    },
  }) as unknown as FastifyInstance;

  app.decorateRequest("actor", null);
  app.decorateRequest("rawBody", null);
  app.decorate("bodies", createBodies());
  readJsonBodies(app);
  readCsvBodies(app);
  const validators = createValidators();
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const part = (httpPart === "querystring" ? "query" : httpPart) as Part;
    let check: ((value: unknown) => void) | undefined;
    return (value: unknown) => {
      try {
        check ??= validators.compile(part, schema);
        check(value);
        return { value };
      } catch (error) {
        return { error: error as Error };
      }
    };
  });
  app.setErrorHandler((error, request, reply) => {
    // The body is no longer needed, and may hold secrets.
    request.rawBody?.fill(0);
    app.bodies.freeWhenAnswered(request, reply);
    return sendError(withFaultsOfOtherParts(error, request), request, reply);
  });
  const refuseUnknown = refuseUnknownRoutes(app);
  // Callbacks, not promises: these hooks run with every request, and a promise costs more than they do.
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    if (options.isSecure) reply.header("strict-transport-security", "max-age=31536000");
    checkUrl(request.url);
    // RFC 9112, section 3.2; `listen.ts` leaves it to us.
    if (request.raw.httpVersion === "1.1" && request.headers.host === undefined)
      throw new AppError(COMMON_ERRORS.INVALID_REQUEST, "The Host header is missing.");
    // Before the body is parsed: Fastify refuses a QUERY without a media type (RFC 10008) with 400.
    if (request.is404 || hasEmptyId(request)) refuseUnknown(request, reply);
    done();
  });
  app.addHook("preValidation", (request, reply, done) => {
    app.bodies.freeWhenAnswered(request, reply);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const status = reply.statusCode;
    options.onServed(request, status, reply.elapsedTime / 1_000);
    const line = {
      requestId: request.id,
      method: request.method,
      path: request.routeOptions.url ?? "unknown",
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      organizationId: request.actor?.organizationId,
    };
    if (request.method === "GET" && status < 500) options.log.debug(line, "Served");
    else options.log.info(line, "Served");
    done();
  });

  app.decorate("describeApi", describeRoutes(app, options.publicUrl, options.catalogue, options.webhooks));
  return app;
}

/** The order in which Fastify checks the parts of a request. It stops at the first that is wrong. */
const CHECKED_PARTS = ["params", "body", "querystring", "headers"] as const;

/** The refusal of one part of a request, with the faults of the parts that Fastify did not check after it. */
function withFaultsOfOtherParts(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof AppError) || !("validationContext" in error)) return error;
  const refused = CHECKED_PARTS.findIndex((part) => part === error.validationContext);
  const others = CHECKED_PARTS.slice(refused + 1).flatMap((part) => {
    const check = request.getValidationFunction(part) as Check | undefined;
    const found = check?.(part === "querystring" ? request.query : request[part]).error;
    return found instanceof AppError ? found.faults : [];
  });
  return others.length === 0 ? error : invalidRequest([...error.faults, ...others]);
}

/** The function that the validator compiler above returns. */
type Check = (value: unknown) => { readonly error?: Error };

/**
 * Each route has serializers for several statuses, and most are never used. Compiling all of them, and all validators,
 * took most of the start, so each is compiled when it is first needed.
 */
function buildSerializersLate(): SerializerFactory {
  const factory = SerializerSelector();
  return (externalSchemas, options) => {
    const compile = factory(externalSchemas, options);
    return (route) => {
      let serialize: ReturnType<typeof compile> | undefined;
      return (value) => (serialize ??= compile(route))(value);
    };
  };
}

function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: Readable) => {
    requirePlainUtf8(request);
    const { schema, bodyLimit } = request.routeOptions;
    const bytes = joinBlocks(await app.bodies.read(request, payload, bodyLimit));
    request.rawBody = bytes;
    // Clients often label an empty DELETE or POST as JSON.
    if (bytes.length === 0 && schema?.body === undefined) return undefined;
    return parseJsonBody(bytes);
  });
}

/** Only routes that have a form for it take CSV. */
function readCsvBodies(app: FastifyInstance): void {
  app.addContentTypeParser("text/csv", async (request: FastifyRequest, payload: Readable) => {
    const { config, bodyLimit } = request.routeOptions;
    if (config.readCsv === undefined)
      throw new AppError(HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/json.");
    requirePlain(request);
    const bytes = joinBlocks(await app.bodies.read(request, payload, bodyLimit));
    request.rawBody = bytes;
    return config.readCsv(decodeText(bytes, charsetsOf(request)[0] ?? null));
  });
}

/** Refuses a URL that cannot be decoded, or contains U+0000: parameters reach PostgreSQL, which cannot store it. */
function checkUrl(url: string): void {
  if (!url.includes("%")) return;
  let decoded: string;
  try {
    decoded = decodeURIComponent(url.replaceAll("+", " "));
  } catch (error) {
    throw new AppError(COMMON_ERRORS.INVALID_REQUEST, "The address contains an invalid percent encoding.", {
      cause: error,
    });
  }
  if (decoded.includes("\0"))
    throw new AppError(COMMON_ERRORS.INVALID_REQUEST, "The address contains a NUL character (%00).");
}

/** Fastify takes `/v1/users/` for `/v1/users/:userId` with an empty id. The rest of a path, `*`, may be empty. */
function hasEmptyId({ params }: FastifyRequest): boolean {
  for (const [name, value] of Object.entries(params ?? {})) if (value === "" && name !== "*") return true;
  return false;
}

/** Refuses with 405 and `Allow` if the path exists, else with 404. Includes routes that are added later. */
function refuseUnknownRoutes(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => never {
  const routes: { pattern: RegExp; method: string }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:[A-Za-z]+/g, "[^/]+");
    const pattern = new RegExp(`^${escaped.replaceAll(String.raw`\*`, ".*")}$`);
    for (const one of [method].flat()) routes.push({ pattern, method: one });
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply): never => {
    const path = pathOf(request.url);
    const allowed = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length === 0) {
      const hint = path.length > 1 && path.endsWith("/") ? " Remove the trailing slash." : "";
      throw new AppError(HTTP_ERRORS.ROUTE_NOT_FOUND, `There is no such endpoint.${hint} See /docs.`);
    }
    const methods = [...new Set(allowed)].join(", ");
    reply.header("allow", methods);
    throw new AppError(HTTP_ERRORS.METHOD_NOT_ALLOWED, `This endpoint allows ${methods}.`);
  };
  app.setNotFoundHandler(refuse);
  return refuse;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Reads bodies within the limits of their senders. */
    bodies: Bodies;
  }
  interface FastifyContextConfig {
    /** What the body would be as JSON. */
    readCsv?: (text: string) => unknown;
  }
}
