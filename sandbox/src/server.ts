/**
 * The sandbox cloud: one server with an HTTP port for the adapter, the admin endpoints, the console and
 * git; a DNS port; and an HTTPS edge. It stands in for the customer's cloud, so it has its own folder and
 * its own lifetime: it keeps running when a worker is killed.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { SafeFetchOptions } from "../../src/egress/safe-fetch.ts";
import { registerErrorPages } from "../../src/http/problems/error-pages.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { isFileError, toFolderError } from "../../src/lib/operator-error.ts";
import { type SandboxLog, type StackStatus, openStacks } from "./accounts/stacks.ts";
import { registerAdminRoutes } from "./api/admin-routes.ts";
import { createCalls, registerCallRoute } from "./api/calls.ts";
import { registerConsoleRoutes } from "./api/console.ts";
import type { CallFaults } from "./api/faults.ts";
import { createFaults } from "./faults.ts";
import { type ReportedEdge, registerEdgeRoutes } from "./api/edge-routes.ts";
import { createApi, listenAt, portOf, reachable, urlOf } from "./api/listen.ts";
import { requireSecret } from "./api/callers.ts";
import { startValidation } from "./cdn/validation.ts";
import { createCertificateAuthority, createRoot } from "./certificates/certificate-authority.ts";
import { CONNECT_PATH, registerConnectRoutes } from "./api/domain-connect-routes.ts";
import { openDnsProvider } from "./dns-provider/provider.ts";
import { createCaResolver } from "./dns/ca-resolver.ts";
import { startDnsServer } from "./dns/dns-server.ts";
import { createOwnNames, joinNames, lookUp } from "./dns/look-up.ts";
import { createRecords } from "./dns/records.ts";
import { openZones } from "./dns/zones.ts";
import { createCertificates, type SandboxCertificates } from "./cdn/certificates.ts";
import { createDistributions } from "./cdn/distributions.ts";
import { createSiteParts } from "./cdn/site-parts.ts";
import { createSites } from "./cdn/sites.ts";
import { CDN_ZONE, isAtOrBelow, isHostName, normalizeName } from "./dns/names.ts";
import { startEdge } from "../../edge/src/edge.ts";
import { deriveEdgeKeys } from "../../edge/src/remote/keys.ts";
import { isFromEdgeWith } from "../../edge/src/visitor.ts";
import { localUrlOf } from "../../edge/src/requests.ts";
import type { KeyPair } from "../../edge/src/key-pair.ts";
import { createEdgeTraffic } from "../../edge/src/traffic.ts";
import { SANDBOX_CATALOGUE } from "./errors.ts";
import { ensureDemoRepository } from "./git/demo-repository.ts";
import { openRepositories } from "./git/git-repositories.ts";
import { openGitHost } from "./git/git-host.ts";
import { registerGitRoutes } from "./git/git-server.ts";
import { registerPullRequestRoutes } from "./git/pull-request-server.ts";
import { ensureDocument, openState } from "./state.ts";
import { type SandboxTuning, defaultTuning } from "./tuning.ts";
import { createUndo } from "./undo.ts";
import { OPEN_VAULT } from "./vault.ts";
import { openWorkloads, type WorkloadOptions } from "./workloads.ts";

export type SandboxOptions = WorkloadOptions & {
  /** Where DNS, edge and HTTP listen; loopback by default. */
  readonly host?: string;
  /** For each of the three ports, 0 picks a free one. */
  readonly dnsPort: number;
  readonly edgePort: number;
  readonly httpPort?: number;
  /** Bearer token of the adapter and of forwarded admin requests; null: no token is required. */
  readonly secret: string | null;
  /** Authenticates edges on other machines; null: there are none. */
  readonly edgeSecret?: string | null;
  /** Slipway's address for browsers, whose forms the console accepts; null: only this server's own. */
  readonly publicUrl: string | null;
  /** The address that a stack reports its account to. */
  readonly callbackUrl: (connectionId: string) => string;
  readonly tuning?: SandboxTuning;
  readonly clock?: Clock;
  readonly log: SandboxLog;
  /** Whether other machines can reach Slipway; false by default. */
  readonly isExposed?: boolean;
  /** Builds fetch commits from the git hosts that these rules allow, instead of the sandbox's own repositories. */
  readonly remoteSource?: SafeFetchOptions;
  /** Used for faults with a rate. */
  readonly random?: () => number;
};

export type SandboxServer = {
  /** The address of the HTTP port, without a trailing slash. */
  readonly url: string;
  readonly dnsAddress: { readonly host: string; readonly port: number };
  readonly edgePort: number;
  readonly caCertificatePem: string;
  /** Where the bare repositories are. */
  readonly gitDir: string;
  /** Puts a value into an account that Slipway did not create, as the customer might by hand. */
  plant(
    kind: "parameter" | "secret",
    serviceId: string,
    region: string,
    name: string,
    value: string,
  ): Promise<void>;
  stackStatus(serviceId: string): StackStatus | null;
  /** Edges on other machines that reported within a day. */
  edges(): readonly ReportedEdge[];
  /** A sentence for the operator about how commands of repositories run. */
  describeCommands(): string;
  stop(): Promise<void>;
};

const OWN_CERTIFICATE_VALIDITY_MS = 10 * 365 * 86_400_000;

/** @throws ListenError, FolderError, SandboxStartError (the folder is in use) */
export async function startSandbox(options: SandboxOptions): Promise<SandboxServer> {
  const { dataDir, log, secret, publicUrl, edgeSecret = null } = options;
  const host = options.host ?? "127.0.0.1";
  const tuning = options.tuning ?? defaultTuning;
  const clock = options.clock ?? systemClock;
  const now = () => clock.now().getTime();
  const gitDir = path.join(dataDir, "git");
  const undo = createUndo();
  try {
    mkdirSync(gitDir, { recursive: true });
    const state = openState(dataDir);
    undo.add(() => state.close());
    await ensureDemoRepository(state, gitDir, clock.now());
    const root = ensureDocument(state.collection<KeyPair>("certificate-authority"), "root", () =>
      createRoot(clock.now()),
    );
    const authority = createCertificateAuthority(root);
    // Certificates need to know which distributions use them, and distributions what certificates cover.
    const distributions = createDistributions({
      state,
      tuning,
      now,
      zone: CDN_ZONE,
      vault: OPEN_VAULT,
      isCertificateUsable: (...use) => certificates.isUsable(...use),
    });
    const isInUse = (id: string) => distributions.isCertificateInUse(id);
    const certificates: SandboxCertificates = createCertificates({ state, authority, tuning, now, isInUse });
    const ownCertificate = ensureDocument(state.collection<KeyPair>("edge-certificate"), "own", () =>
      authority.issue([`*.${CDN_ZONE}`], clock.now(), new Date(now() + OWN_CERTIFICATE_VALIDITY_MS)),
    );
    const records = createRecords(state);
    const zones = openZones(state, records);
    const names = joinNames(
      records,
      createOwnNames(reachable(host), (name) => distributions.hasDomainName(name)),
    );
    const repositories = openRepositories(gitDir, tuning.platform.checkoutMaxBytes);
    const random = options.random ?? Math.random;
    const faults: CallFaults = createFaults(random);
    const gitHost = openGitHost({
      state,
      repositories,
      // Slipway takes deliveries at the address that stacks report to.
      hookUrl: (provider) => new URL(`/v1/git-hooks/${provider}`, options.callbackUrl("any")).href,
      now,
      random,
      log,
    });
    undo.add(() => gitHost.stop());
    const workloads = await openWorkloads({
      ...options,
      state,
      vault: OPEN_VAULT,
      sources:
        options.remoteSource === undefined
          ? { kind: "repositories", repositories }
          : { kind: "git-hosts", egress: options.remoteSource },
      tuning,
      now,
      undo,
      proxyName: CDN_ZONE,
      // Users can set an origin in the sandbox's DNS.
      lookUpFirst: (name) =>
        lookUp(names, name, "A").answers.flatMap((answer) =>
          answer.type === "A" ? [{ address: answer.data, family: 4 }] : [],
        ),
      isolationFor: { isExposed: options.isExposed ?? false, isolationRequired: false },
    });
    const { parameters, secrets, platform } = workloads;

    const dns = await startDnsServer((name, type) => lookUp(names, name, type), {
      host,
      port: options.dnsPort,
      portVariable: "SLIPWAY_SANDBOX_DNS_PORT",
    });
    const dnsAddress = { host: reachable(dns.host), port: dns.port };
    undo.add(() => dns.stop());
    const traffic = createEdgeTraffic(now);
    const ownPairFor = (name: string) => (isAtOrBelow(name, CDN_ZONE) ? ownCertificate : null);
    const edgeKeys = edgeSecret === null ? null : deriveEdgeKeys(edgeSecret);
    const findSite = createSites({ ...workloads, distributions, certificates, ownPairFor, repositories });
    const edge = await startEdge({
      host,
      httpsPort: options.edgePort,
      httpPort: null,
      portVariables: { https: "SLIPWAY_SANDBOX_EDGE_PORT", http: "" },
      isLocal: true,
      challenges: null,
      findSite,
      ...(edgeKeys === null ? {} : { isFromEdge: (request) => isFromEdgeWith(edgeKeys, request) }),
      onAnswered: (distributionId, status) => traffic.count(distributionId, status),
      log,
    });
    undo.add(() => edge.stop());
    const resolver = createCaResolver(dnsAddress);
    undo.add(() => resolver.close());
    const dnsProvider = openDnsProvider(state, records, resolver);
    const validation = startValidation({ certificates, dns: dnsAddress, tuning, now, isInUse, log });
    records.onChange((name) => validation.noteDnsChange(name));
    undo.add(() => validation.stop());
    const stacks = openStacks({ state, tuning, now, callbackUrl: options.callbackUrl, log });
    undo.add(() => stacks.stop());
    const parts = { stacks, certificates, distributions, parameters, secrets, zones, platform, faults };
    const calls = createCalls({ ...parts, traffic, tuning, now });

    const app = createApi(log);
    const edges =
      edgeSecret === null
        ? null
        : registerEdgeRoutes(app, {
            secret: edgeSecret,
            parts: createSiteParts({
              distributions,
              findSite,
              ownNames: [],
              mainPort: edge.port,
              // A change goes live after its lag, without a write.
              generation: () =>
                `${state.generation()} ${tuning.deployLagMs > 0 ? Math.floor(now() / 1_000) : ""}`,
            }),
            challenges: null,
            traffic,
            now,
          });
    const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
    const baseUrl = () => publicUrl ?? urlOf(app, host);
    const caCertificatePem = authority.certificatePem;
    await app.register(async (scope) => {
      // The console's pages are public. Its forms come through Slipway, which knows the owner of the connection.
      if (secret !== null) requireSecret(scope, secret, ({ method }) => method !== "GET");
      registerErrorPages(scope, SANDBOX_CATALOGUE);
      registerConsoleRoutes(scope, {
        stacks,
        secret,
        publicOrigin,
        caCertificatePem,
        findLocalUrl: (hostName) => {
          const name = normalizeName(hostName);
          return isHostName(name) && distributions.findLive(name) !== null
            ? localUrlOf(name, edge.port)
            : null;
        },
      });
      registerConnectRoutes(scope, { provider: dnsProvider, publicOrigin, baseUrl });
    });
    await app.register(async (scope) => {
      if (secret !== null) requireSecret(scope, secret);
      // In its own scope, because these routes read another kind of body.
      await scope.register(async (git) => {
        registerGitRoutes(git, repositories);
        registerPullRequestRoutes(git, gitHost);
      });
      registerCallRoute(scope, calls);
      // In its own scope: only these routes read bodies like the API.
      await scope.register(async (admin) =>
        registerAdminRoutes(admin, {
          ...parts,
          records,
          dnsProvider,
          gitHost,
          state,
          connectAt: () => `${new URL(baseUrl()).host}${CONNECT_PATH}`,
          calls,
          ports: () => ({ http: portOf(app), dns: dns.port, edge: edge.port }),
        }),
      );
    });
    undo.add(() => app.close());
    await listenAt(app, host, options.httpPort ?? 0);
    return {
      url: urlOf(app, host),
      dnsAddress,
      edgePort: edge.port,
      caCertificatePem,
      gitDir,
      async plant(kind, serviceId, region, name, value) {
        const accountId = stacks.get(serviceId)?.accountId;
        if (accountId === undefined) throw new Error(`There is no stack for ${serviceId}.`);
        await (kind === "parameter" ? parameters : secrets).plant(accountId, region, name, value);
      },
      stackStatus: (serviceId) => stacks.get(serviceId)?.status ?? null,
      describeCommands: () => platform.describeCommands(),
      edges: () => edges?.list() ?? [],
      stop: () => undo.run(),
    };
  } catch (error) {
    await undo.run();
    throw isFileError(error) ? toFolderError("The sandbox", dataDir, error) : error;
  }
}
