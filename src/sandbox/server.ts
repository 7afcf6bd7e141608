/**
 * The sandbox cloud: one server with an HTTP port for the adapter, the admin endpoints, the console and
 * git; a DNS port; and an HTTPS edge. It plays the customer's cloud, so its files lie in a folder of
 * their own and its life is its own: a killed worker leaves it standing.
 */
import { timingSafeEqual, createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Value } from "typebox/value";
import { systemClock, type Clock } from "../lib/clock.ts";
import { isFileError, toFolderError } from "../lib/folder-error.ts";
import { toListenError } from "../lib/listen-error.ts";
import { type AllowedHosts, parseAllowedHosts } from "../git/address-rules.ts";
import { registerAdminRoutes } from "./api/admin-routes.ts";
import { createCalls, type Calls } from "./api/calls.ts";
import {
  openCertificateAuthority,
  type CertificateAuthority,
  type KeyPair,
} from "./certificates/certificate-authority.ts";
import { createCertificates, type Certificates } from "./certificates/certificates.ts";
import { registerConsoleRoutes } from "./api/console.ts";
import { ensureDemoRepository } from "./git/demo-repository.ts";
import { createDistributions, type Distributions } from "./edge/distributions.ts";
import { startDnsServer } from "./dns/dns-server.ts";
import { createOriginServer } from "./edge/edge-origins.ts";
import { startEdge } from "./edge/edge.ts";
import { createFaults } from "./api/faults.ts";
import { openRepositories } from "./git/git-repositories.ts";
import { registerGitRoutes } from "./git/git-server.ts";
import { CDN_ZONE } from "./dns/names.ts";
import { createOwnNames, joinNames } from "./dns/own-names.ts";
import { createProxy } from "./serving/origin-proxy.ts";
import { createParameters } from "./accounts/parameters.ts";
import type { CommandOptions } from "./platform/commands/commands.ts";
import { openPlatform } from "./platform/platform.ts";
import { sendProblem, setProblemHandlers } from "./api/problems.ts";
import { Call, isOperation } from "./protocol.ts";
import { createRecords } from "./dns/records.ts";
import { createSecrets } from "./accounts/secrets.ts";
import { openStacks, type SandboxLog, type StackStatus } from "./accounts/stacks.ts";
import { SandboxStartError } from "./start-error.ts";
import { openState, type SandboxState } from "./state.ts";
import { defaultTuning, type SandboxTuning } from "./tuning.ts";
import { startValidation } from "./api/validation.ts";
import { HTTP_ERRORS } from "../http/errors.ts";
import { COMMON_ERRORS } from "../lib/errors.ts";
import { registerErrorPages } from "../http/problems/error-pages.ts";
import { SANDBOX_CATALOGUE } from "./errors.ts";

export type SandboxOptions = {
  /** The sandbox's own folder, `<data dir>/sandbox`; made when missing, held by one process at a time. */
  readonly dataDir: string;
  /** Where DNS, edge and HTTP listen; loopback unless said otherwise. */
  readonly host?: string;
  /** 0 picks a free one, for each of the three. */
  readonly dnsPort: number;
  readonly edgePort: number;
  readonly httpPort?: number;
  /** The address that names of the edge and of the name server have in the DNS. */
  readonly edgeAddress?: string;
  /** Bearer token of the adapter and of whoever forwards admin requests; null asks for none. */
  readonly secret: string | null;
  /** Slipway's address for browsers, whose forms the console accepts; null when only this server is used. */
  readonly publicUrl: string | null;
  /** Where a stack reports its account to. */
  readonly callbackUrl: (connectionId: string) => string;
  readonly tuning?: SandboxTuning;
  readonly clock?: Clock;
  readonly log: SandboxLog;
  /**
   * PATH of the commands of repositories, before which Node's own folder goes; null forbids to run any.
   * The usual folders when left out.
   */
  readonly commandPath?: string | null;
  /** How commands are kept apart; the best that the machine offers when left out. */
  readonly isolation?: CommandOptions["isolation"];
  /** Folders that commands may read beside the system's programs. */
  readonly readable?: readonly string[];
  /** Slipway's own folders, the one that `dataDir` lies in first; `dataDir` alone when left out. */
  readonly hidden?: readonly string[];
  /** Hosts and networks that are not public and may be origins of `external` services all the same. */
  readonly allowedOrigins?: readonly string[];
  /** Whether Slipway can be reached from other machines; not unless said. */
  readonly isExposed?: boolean;
  /** For faults that strike at a rate. */
  readonly random?: () => number;
};

export type SandboxServer = {
  /** Of the HTTP port, without a slash at the end. */
  readonly url: string;
  readonly dnsAddress: { readonly host: string; readonly port: number };
  readonly edgePort: number;
  readonly caCertificatePem: string;
  /** Where the bare repositories are. */
  readonly gitDir: string;
  /** Puts a value into an account that Slipway did not make, as the customer might by hand. */
  plant(kind: "parameter" | "secret", serviceId: string, region: string, name: string, value: string): void;
  stackStatus(serviceId: string): StackStatus | null;
  /** One sentence for the operator: how commands of repositories run. */
  describeCommands(): string;
  stop(): Promise<void>;
};

/** @throws ListenError, FolderError, SandboxStartError (the folder is in use) */
export async function startSandbox(options: SandboxOptions): Promise<SandboxServer> {
  const { dataDir, log, secret, publicUrl } = options;
  const host = options.host ?? "127.0.0.1";
  const tuning = options.tuning ?? defaultTuning;
  const clock = options.clock ?? systemClock;
  const now = () => clock.now().getTime();
  const gitDir = path.join(dataDir, "git");
  /** In reverse, what undoes the start. */
  const stops: (() => void | Promise<void>)[] = [];
  const stop = async () => {
    for (const step of stops.splice(0).toReversed()) await step();
  };
  try {
    mkdirSync(gitDir, { recursive: true });
    const state = openState(dataDir);
    stops.push(() => state.close());
    await ensureDemoRepository(state, gitDir, clock.now());
    const authority = openCertificateAuthority(state, clock.now());
    const { certificates, distributions } = createCdn(state, authority, tuning, now);
    const records = createRecords(state);
    const names = joinNames(
      records,
      createOwnNames(options.edgeAddress ?? reachable(host), (name) => distributions.hasDomainName(name)),
    );
    const repositories = openRepositories(gitDir, tuning.platform.checkoutMaxBytes);
    const parameters = createParameters(state, tuning);
    const secrets = createSecrets(state);
    const faults = createFaults(options.random ?? Math.random);
    const proxy = createProxy(names, readAllowedOrigins(options.allowedOrigins ?? []));
    stops.push(() => proxy.stop());
    const platform = await openPlatform({
      dataDir,
      state,
      repositories,
      parameters,
      secrets,
      proxy,
      tuning: tuning.platform,
      now,
      commands: {
        commandPath: withNode(options.commandPath),
        isolation: options.isolation ?? "auto",
        readable: options.readable ?? [],
        hidden: options.hidden ?? [dataDir],
        isExposed: options.isExposed ?? false,
      },
      log,
    });
    stops.push(() => platform.stop());

    const dns = await startDnsServer(names, host, options.dnsPort);
    const dnsAddress = { host: reachable(dns.host), port: dns.port };
    stops.push(() => dns.stop());
    const edge = await startEdge({
      host,
      port: options.edgePort,
      distributions,
      certificates,
      ownCertificate: ensureOwnCertificate(state, authority, clock.now()),
      origins: createOriginServer({ repositories, proxy, platform }),
      log,
    });
    stops.push(() => edge.stop());
    const validation = startValidation({
      certificates,
      dns: dnsAddress,
      tuning,
      now,
      isInUse: (id) => distributions.isCertificateInUse(id),
      log,
    });
    records.onChange((name) => validation.noteDnsChange(name));
    stops.push(() => validation.stop());
    const stacks = openStacks({ state, tuning, now, callbackUrl: options.callbackUrl, log });
    stops.push(() => stacks.stop());
    const calls = createCalls({
      stacks,
      certificates,
      distributions,
      parameters,
      secrets,
      platform,
      faults,
      tuning,
      now,
    });

    const app = fastify({
      bodyLimit: 1_048_576,
      routerOptions: { maxParamLength: 300 },
      // The API's, where it passed the request on; the id of a refusal is then in its header and its log too.
      requestIdHeader: "x-request-id",
      // A caller that hangs on a `timeout` fault must not hold up the end.
      forceCloseConnections: true,
      ajv: { customOptions: { allErrors: true, removeAdditional: false, coerceTypes: false } },
    });
    setProblemHandlers(app, log);
    const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
    const caCertificatePem = authority.certificatePem;
    await app.register(async (scope) => {
      // Its pages are open; its forms come by Slipway, which knows whose connection they name.
      if (secret !== null) requireSecret(scope, secret, ({ method }) => method !== "GET");
      registerErrorPages(scope, SANDBOX_CATALOGUE);
      registerConsoleRoutes(scope, { stacks, secret, publicOrigin, caCertificatePem });
    });
    await app.register(async (scope) => {
      if (secret !== null) requireSecret(scope, secret);
      // In a scope of their own, for they read another kind of body.
      await scope.register(async (git) => registerGitRoutes(git, repositories));
      registerCallRoute(scope, calls);
      // In a scope of their own: only they read bodies as the API does.
      await scope.register(async (admin) =>
        registerAdminRoutes(admin, {
          records,
          stacks,
          faults,
          certificates,
          distributions,
          parameters,
          secrets,
          platform,
          calls,
          ports: () => ({ http: portOf(app), dns: dns.port, edge: edge.port }),
        }),
      );
    });
    stops.push(() => app.close());
    const httpPort = options.httpPort ?? 0;
    await app.listen({ host, port: httpPort }).catch((error: unknown) => {
      throw toListenError(error, host, httpPort, "SLIPWAY_SANDBOX_URL");
    });
    return {
      url: `http://${bracketed(reachable(host))}:${portOf(app)}`,
      dnsAddress,
      edgePort: edge.port,
      caCertificatePem,
      gitDir,
      plant(kind, serviceId, region, name, value) {
        const accountId = stacks.get(serviceId)?.accountId;
        if (accountId === undefined) throw new Error(`There is no stack for ${serviceId}.`);
        (kind === "parameter" ? parameters : secrets).plant(accountId, region, name, value);
      },
      stackStatus: (serviceId) => stacks.get(serviceId)?.status ?? null,
      describeCommands: () => platform.commands.describe(),
      stop,
    };
  } catch (error) {
    await stop();
    throw isFileError(error) ? toFolderError("The sandbox", dataDir, error) : error;
  }
}

function readAllowedOrigins(entries: readonly string[]): AllowedHosts {
  try {
    return parseAllowedHosts(entries);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SandboxStartError(`SLIPWAY_SANDBOX_ALLOWED_ORIGINS: ${error.message}`);
  }
}

/** Certificates ask distributions who uses them, and distributions ask certificates what they cover. */
function createCdn(
  state: SandboxState,
  authority: CertificateAuthority,
  tuning: SandboxTuning,
  now: () => number,
): { certificates: Certificates; distributions: Distributions } {
  const distributions = createDistributions({
    state,
    tuning,
    now,
    isCertificateUsable: (id, accountId, aliases) => certificates.isUsable(id, accountId, aliases),
  });
  const certificates = createCertificates({
    state,
    authority,
    tuning,
    now,
    isInUse: (id) => distributions.isCertificateInUse(id),
  });
  return { certificates, distributions };
}

const OWN_CERTIFICATE_VALIDITY_MS = 10 * 365 * 86_400_000;

function ensureOwnCertificate(state: SandboxState, authority: CertificateAuthority, at: Date): KeyPair {
  const store = state.collection<KeyPair>("edge-certificate");
  const present = store.get("own");
  if (present !== undefined) return present;
  const pair = authority.issue([`*.${CDN_ZONE}`], at, new Date(at.getTime() + OWN_CERTIFICATE_VALIDITY_MS));
  store.put("own", pair);
  return pair;
}

function requireSecret(
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
    await sendProblem(reply, HTTP_ERRORS.UNAUTHENTICATED, "The sandbox takes calls from its Slipway only.");
  });
}

/** Room for all the variables that a service may have (500 of 32 KiB). */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

const STATUS_OF_KIND = { retryable: 429, denied: 403, gone: 404, limit: 400, invalid: 400 } as const;

function registerCallRoute(app: FastifyInstance, calls: Calls): void {
  const bodyLimit = MAX_CALL_BYTES;
  app.post<{ Params: { operation: string } }>("/cloud/:operation", { bodyLimit }, async (request, reply) => {
    const { operation } = request.params;
    const { body } = request;
    if (!isOperation(operation) || !Value.Check(Call, body)) {
      return sendProblem(
        reply,
        COMMON_ERRORS.INVALID_REQUEST,
        "There is no such operation, or its envelope is wrong.",
      );
    }
    const outcome = calls.make(operation, body);
    switch (outcome.kind) {
      case "answer":
        return reply.send(outcome.output);
      case "refused": {
        const { kind, code, message } = outcome.refusal;
        return reply.status(STATUS_OF_KIND[kind]).send({ kind, code, message });
      }
      case "server-error":
        // As load balancers answer for a service that is away: no JSON at all.
        return reply
          .status(503)
          .type("text/html")
          .send("<html><body><h1>503 Service Unavailable</h1></body></html>");
      case "timeout":
        return hangUp(reply, false);
      case "lost-response":
        return hangUp(reply, true);
    }
  });
}

const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Commands find the Node that runs Slipway first. */
function withNode(commandPath: string | null = USUAL_PATH): string | null {
  return commandPath === null ? null : `${path.dirname(process.execPath)}:${commandPath}`;
}

/** Takes the connection out of Fastify's hands, to break it or to leave it without an answer. */
function hangUp(reply: FastifyReply, isBroken: boolean): FastifyReply {
  reply.hijack();
  if (isBroken) reply.raw.destroy();
  return reply;
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("The sandbox listens on no port.");
  return address.port;
}

/** An address to dial, for one to listen on. */
function reachable(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
