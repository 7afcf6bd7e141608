/**
 * The small cloud of an own server (`SLIPWAY_CLOUD=host`): an edge on public ports with certificates of a public CA, a DNS
 * server for the zone of delegated challenges, sealed values, and the platform. Accounts are parts of the server itself.
 */
import { networkInterfaces } from "node:os";
import { type EdgeOptions, startEdge } from "../../../edge/src/edge.ts";
import { deriveEdgeKeys } from "../../../edge/src/remote/keys.ts";
import { isFromEdgeWith } from "../../../edge/src/visitor.ts";
import type { Site } from "../../../edge/src/requests.ts";
import { createEdgeTraffic } from "../../../edge/src/traffic.ts";
import type { SafeFetchOptions } from "../../../src/egress/safe-fetch.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { isFileError, toFolderError } from "../../../src/lib/operator-error.ts";
import { readRelease } from "../../../src/lib/release.ts";
import { startAcme } from "../acme/start-acme.ts";
import type { ManagedValues } from "../accounts/managed-values.ts";
import { openStacks, type SandboxLog } from "../accounts/stacks.ts";
import { readJsonBodies } from "../api/admin-routes.ts";
import { requireSecret } from "../api/callers.ts";
import { createCalls, registerCallRoute } from "../api/calls.ts";
import { registerEdgeRoutes } from "../api/edge-routes.ts";
import { createApi, listenAt, urlOf } from "../api/listen.ts";
import type { Certificates } from "../cdn/certificates.ts";
import { createDistributions } from "../cdn/distributions.ts";
import { createSiteParts } from "../cdn/site-parts.ts";
import { createSites } from "../cdn/sites.ts";
import { startDnsServer } from "../dns/dns-server.ts";
import { openState } from "../state.ts";
import { instantTuning, type SandboxTuning } from "../tuning.ts";
import { createUndo } from "../undo.ts";
import { checkVault, type Vault } from "../vault.ts";
import { openWorkloads, type WorkloadOptions } from "../workloads.ts";
import { removeCopies } from "./backup-stream.ts";
import { createChallengeZone } from "./challenge-zone.ts";
import { registerConnections, registerConnectPages } from "./connect-routes.ts";
import { dnsAddressesOf, edgeAddressOf } from "./listen-addresses.ts";
import { NO_ZONES } from "./no-zones.ts";
import { keepInDocuments, keepInOpenBao, type OpenBaoConfig } from "./open-bao.ts";
import { keepOwnCertificates } from "./own-certificates.ts";
import { findObstacle, HTTP_PORT, HTTPS_PORT } from "./probe-ports.ts";
import { refuseOwnNames } from "./reserved-names.ts";
import { registerServerRoutes } from "./server-routes.ts";

type AcmeConfig = Parameters<typeof startAcme>[0]["config"];

/** Slipway's host name, and where its API listens on this machine. */
export type SlipwayPlace = { readonly hostname: string; readonly port: number };

export type HostOptions = WorkloadOptions & {
  /** What customers' records point to, and where it leads. */
  readonly hostname: string;
  readonly addresses: readonly string[];
  /** For each of the ports, 0 picks a free one. */
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly dnsPort: number;
  readonly acme: AcmeConfig;
  /** Resolvers that certificates' names are looked up with. */
  readonly dnsServers: Parameters<typeof startAcme>[0]["dnsServers"];
  readonly validationWindowMs: number;
  readonly vault: Vault;
  /** Where managed values are kept instead of in the server's own documents. */
  readonly openBao?: OpenBaoConfig | null;
  /** Authenticates edges on other machines; null: there are none. */
  readonly edgeSecret?: string | null;
  /** How the edge serves visitors. */
  readonly serving?: Pick<EdgeOptions, "hstsSeconds" | "drainMs" | "trustedProxies" | "onAccess">;
  /** The git hosts that builds may fetch commits from. */
  readonly remoteSource: SafeFetchOptions;
  /** Where Slipway reaches it; loopback and any free port by default. */
  readonly api?: { readonly host: string; readonly port: number };
  /** Bearer token of the adapter and of forwarded requests. */
  readonly secret: string;
  /** Slipway's address for browsers. */
  readonly publicUrl: string;
  /** Null: the edge does not serve Slipway itself. */
  readonly slipway?: SlipwayPlace | null;
  readonly callbackUrl: (connectionId: string) => string;
  /** Overrides, for tests. */
  readonly tuning?: Partial<SandboxTuning>;
  readonly clock?: Clock;
  readonly log: SandboxLog;
};

export type HostServer = {
  /** The address for Slipway, without a trailing slash. */
  readonly url: string;
  readonly ports: { readonly http: number; readonly https: number; readonly dns: number };
  /** The managed values of accounts. */
  readonly values: { readonly parameters: ManagedValues; readonly secrets: ManagedValues };
  /** A sentence for the operator about how commands of repositories run. */
  describeCommands(): string;
  stop(): Promise<void>;
};

/** How often a connection that waits for the edge is tried again at first. */
const CALLBACK_RETRY_MS = 250;
/** How long requests of visitors may take to end when the server stops. */
const DRAIN_MS = 10_000;

/** @throws ListenError, FolderError, SandboxStartError (the folder is in use), SealingError */
export async function startHost(options: HostOptions): Promise<HostServer> {
  const { dataDir, hostname, addresses, vault, log, secret, publicUrl } = options;
  const { edgeSecret = null, slipway = null, openBao = null } = options;
  const ownNames = [hostname, ...(slipway === null ? [] : [slipway.hostname])];
  const clock = options.clock ?? systemClock;
  const now = () => clock.now().getTime();
  const [version, startedAt] = [readRelease(), now()];
  // Nothing here has the lags or the quotas of a provider.
  const tuning: SandboxTuning = {
    ...instantTuning,
    callbackRetryMs: CALLBACK_RETRY_MS,
    validationWindowMs: options.validationWindowMs,
    ...options.tuning,
  };
  const undo = createUndo();
  try {
    const state = openState(dataDir);
    undo.add(() => state.close());
    removeCopies(dataDir);
    checkVault(state.collection<string>("vault"), vault);
    const distributions = createDistributions({
      state,
      tuning,
      now,
      zone: hostname,
      vault,
      isCertificateUsable: (...use) => certificates().isUsable(...use),
    });
    const store = openBao === null ? null : keepInOpenBao(openBao, vault);
    const workloads = await openWorkloads({
      ...options,
      state,
      sources: { kind: "git-hosts", egress: options.remoteSource },
      tuning,
      now,
      undo,
      proxyName: hostname,
      lookUpFirst: () => [],
      isolationFor: { isExposed: true, isolationRequired: true },
      keeper: store ?? keepInDocuments(vault),
    });
    const { parameters, secrets, platform } = workloads;

    // The edge answers challenges of the certificates, whose engine connects to the edge to check names first.
    let engine: Awaited<ReturnType<typeof startAcme>> | null = null;
    let own: ReturnType<typeof keepOwnCertificates> | null = null;
    const certificates = (): Certificates => {
      if (engine === null) throw new Error("The certificates are not open yet.");
      return engine.certificates;
    };
    const textsAt = (name: string) => engine?.challenges.txtAt(name) ?? [];
    const traffic = createEdgeTraffic(now);
    const interfaces = networkInterfaces();
    const edgeHost = edgeAddressOf(addresses, interfaces);
    const edgeKeys = edgeSecret === null ? null : deriveEdgeKeys(edgeSecret);
    const findCustomers = createSites({
      ...workloads,
      distributions,
      certificates: { keyPairFor: (...use) => engine?.certificates.keyPairFor(...use) ?? null },
      ownPairFor: (name) => own?.pairFor(name) ?? null,
      repositories: { open: () => null },
    });
    const findSite = (name: string): Site | null =>
      name === slipway?.hostname
        ? {
            id: "slipway",
            certificate: own?.pairFor(name) ?? null,
            redirectTo: null,
            serve: (request, response, visitor) =>
              workloads.proxy.forwardToSlipway(slipway.port, visitor, request, response),
          }
        : findCustomers(name);
    const edge = await startEdge({
      host: edgeHost,
      httpsPort: options.httpsPort,
      httpPort: options.httpPort,
      portVariables: { https: "SLIPWAY_EDGE_HTTPS_PORT", http: "SLIPWAY_EDGE_HTTP_PORT" },
      findSite,
      challenges: {
        httpAnswer: (...asked) => engine?.challenges.httpAnswer(...asked) ?? null,
        alpnPair: (name) => engine?.challenges.alpnPair(name) ?? null,
      },
      drainMs: DRAIN_MS,
      ...options.serving,
      ...(edgeKeys === null ? {} : { isFromEdge: (request) => isFromEdgeWith(edgeKeys, request) }),
      onAnswered: (distributionId, status) => traffic.count(distributionId, status),
      log,
    });
    undo.add(() => edge.stop());
    const ports = { http: edge.httpPort ?? options.httpPort, https: edge.port };
    const zone = `acme.${hostname}`;
    const look = createChallengeZone({ zone, nameServer: hostname, textsAt });
    let dnsPort = options.dnsPort;
    for (const host of dnsAddressesOf(addresses, interfaces)) {
      const dns = await startDnsServer(look, { host, port: dnsPort, portVariable: "SLIPWAY_EDGE_DNS_PORT" });
      undo.add(() => dns.stop());
      dnsPort = dns.port;
    }
    const acme = await startAcme({
      state,
      now,
      log,
      isInUse: (id) => distributions.isCertificateInUse(id) || own?.isOwn(id) === true,
      config: options.acme,
      edge: {
        addresses,
        hostname,
        // Behind a forwarding of ports, the edge listens on others than visitors use.
        httpPorts: [...new Set([ports.http, HTTP_PORT])],
        httpsPorts: [...new Set([ports.https, HTTPS_PORT])],
      },
      challengeZone: zone,
      dnsServers: options.dnsServers,
      seal: {
        seal: (text, place) => vault.seal(place, text),
        open: (sealed, place) => vault.open(place, sealed),
      },
      validationWindowMs: options.validationWindowMs,
    });
    engine = acme;
    undo.add(() => acme.stop());
    own = keepOwnCertificates({
      state,
      certificates: acme.certificates,
      distributions,
      names: slipway === null ? [] : [slipway.hostname],
    });
    undo.add(() => own?.stop());

    const stacks = openStacks({
      state,
      tuning,
      now,
      callbackUrl: options.callbackUrl,
      findObstacle: () => findObstacle(edgeHost, Object.values(ports)),
      log,
    });
    undo.add(() => stacks.stop());
    const calls = createCalls({
      stacks,
      certificates: refuseOwnNames(ownNames, acme.certificates),
      distributions,
      traffic,
      parameters,
      secrets,
      zones: NO_ZONES,
      platform,
      faults: { strike: () => null },
      tuning,
      now,
    });
    const api = options.api ?? { host: "127.0.0.1", port: 0 };
    const app = createApi(log);
    const edges =
      edgeSecret === null
        ? null
        : registerEdgeRoutes(app, {
            secret: edgeSecret,
            parts: createSiteParts({
              distributions,
              findSite,
              ownNames: slipway === null ? [] : [slipway.hostname],
              mainPort: ports.https,
              generation: () => state.generation(),
            }),
            challenges: acme.challenges,
            traffic,
            now,
          });
    await app.register(async (pages) => {
      // Reads are public; forms come through Slipway, which knows the owner of the connection.
      requireSecret(pages, secret, ({ method }) => method !== "GET");
      const publicOrigin = new URL(publicUrl).origin;
      registerConnectPages(pages, { stacks, secret, publicOrigin, hostname, addresses });
    });
    await app.register(async (scope) => {
      requireSecret(scope, secret);
      registerCallRoute(scope, calls);
      const main = { addresses, ports, version, startedAt };
      registerServerRoutes(scope, {
        state,
        dataDir,
        hostname,
        challengeZone: zone,
        valueStore: store,
        acme,
        main,
        edges,
        stacks,
        now,
      });
      await scope.register(async (admin) => {
        readJsonBodies(admin);
        registerConnections(admin, stacks);
      });
    });
    undo.add(() => app.close());
    await listenAt(app, api.host, api.port);
    return {
      url: urlOf(app, api.host),
      ports: { ...ports, dns: dnsPort },
      values: { parameters, secrets },
      describeCommands: () => platform.describeCommands(),
      stop: () => undo.run(),
    };
  } catch (error) {
    await undo.run();
    throw isFileError(error) ? toFolderError("The server's edge", dataDir, error) : error;
  }
}
