/** The edge of this server as the cloud, and what it needs. Part of the composition root. */
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { createHostCloud } from "../../cloud/sandbox/adapter.ts";
import { readOwnServer } from "../../cloud/sandbox/own-server.ts";
import { createSandboxPlatform } from "../../cloud/sandbox/platform-adapter.ts";
import type { OpenBaoConfig } from "../../../sandbox/src/host/open-bao.ts";
import type { HostServer, SlipwayPlace } from "../../../sandbox/src/host/host-server.ts";
import { systemServers } from "../../dns/wire/servers.ts";
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { createGit } from "../../git/hosts.ts";
import { systemClock } from "../../lib/clock.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { openKeyFiles } from "../../sealing/open-sealing.ts";
import { openHostVault } from "../../sealing/vault.ts";
import type { Config } from "../config/config.ts";
import type { HostConfig } from "../config/host.ts";
import type { OpenBaoSettings } from "../config/open-bao.ts";
import { isLoopbackUrl } from "../config/values.ts";
import { recordServiceAddress } from "../service-address.ts";
import { createCaaIssuers } from "./ca-issuers.ts";
import type { CloudMachinery, OpenCloud, OpenCloudOptions, OwnServerPlace } from "./open-cloud.ts";
import { openKeyWrap } from "./open-key-wrap.ts";
import { keepSecret } from "./open-sandbox.ts";

/**
 * Starts the edge in this process, or uses the one at SLIPWAY_SANDBOX_URL.
 * @throws ListenError, FolderError, SandboxStartError, SealingError
 */
export async function openHost(
  config: Config,
  own: HostConfig,
  options: OpenCloudOptions & CloudMachinery,
): Promise<OpenCloud> {
  const { publicUrl, policy } = options;
  const { directory, fallbackDirectory, caPem } = own.acme;
  const directories = [directory, ...(fallbackDirectory === null ? [] : [fallbackDirectory])];
  const found = await findOrStart(config, own, options);
  const { url, secret } = found;
  return {
    cloud: createHostCloud({
      url,
      secret,
      publicUrl,
      policy,
      caaIssuers: createCaaIssuers(directories, caPem),
    }),
    platform: createSandboxPlatform({ url, secret, policy }),
    git: createGit({ allowedHosts: config.gitAllowedHosts }),
    dnsServers: config.dnsServers ?? systemServers(),
    sandbox: null,
    ownServer: { ...found, readState: (how) => readOwnServer(found, how) },
    // It isolates commands of repositories in any case.
    reportOrganizationCount: null,
    connectionTemplate: null,
  };
}

async function findOrStart(
  config: Config,
  own: HostConfig,
  options: OpenCloudOptions,
): Promise<Omit<OwnServerPlace, "readState">> {
  const { url, secret } = config.sandbox;
  if (url !== null) return { url, secret: secret ?? "", httpsPort: own.httpsPort, server: null };
  const ownSecret = secret ?? keepSecret(hostFolder(config));
  const server = await startConfiguredHost(config, own, { ...options, secret: ownSecret });
  return { url: server.url, secret: ownSecret, httpsPort: server.ports.https, server };
}

export function hostFolder({ dataDir }: Config): string {
  return path.join(dataDir, "host");
}

/**
 * Starts the edge of this server as configured.
 * @throws ListenError, FolderError, SandboxStartError, SealingError
 */
export async function startConfiguredHost(
  config: Config,
  own: HostConfig,
  options: OpenCloudOptions & {
    readonly secret: string;
    /** Where Slipway reaches it; loopback and any free port when left out. */
    readonly at?: { readonly host: string; readonly httpPort: number };
  },
): Promise<HostServer> {
  const { publicUrl, log, secret, at, clock } = options;
  const { acme, hostname, addresses, httpPort, httpsPort, dnsPort } = own;
  const { startHost } = await import("../../../sandbox/src/host/host-server.ts");
  const wrap = await openKeyWrap(config);
  const files = await openKeyFiles({ folder: config.sealingKeysDir, clock: clock ?? systemClock, wrap });
  await files.wrapAll();
  const server = await startHost({
    dataDir: hostFolder(config),
    hostname,
    addresses,
    httpPort,
    httpsPort,
    dnsPort,
    acme: { ...acme, caFile: acme.caPem },
    dnsServers: config.dnsServers ?? systemServers(),
    validationWindowMs: config.validationWindowMs,
    vault: await openHostVault(files),
    openBao: own.openBao === null ? null : openBaoOf(own.openBao),
    commandPath: config.sandbox.commandPath,
    isolation: config.sandbox.isolation,
    readable: config.sandbox.readable,
    hidden: [config.dataDir, config.sealingKeysDir],
    allowedOrigins: config.sandbox.allowedOrigins,
    remoteSource: { allowedHosts: parseAllowedHosts(config.gitAllowedHosts) },
    secret,
    edgeSecret: config.edgeSecret,
    serving: {
      ...config.serving,
      onAccess: config.serving.logsAccess ? (entry) => log.info(entry, "Request") : null,
    },
    publicUrl,
    slipway: slipwayAt(publicUrl, options.listensAt),
    callbackUrl: (connectionId) => `${callbacksAt(publicUrl, options.listensAt)}/${connectionId}`,
    log,
    ...(at === undefined ? {} : { api: { host: at.host, port: at.httpPort } }),
    ...(clock === undefined ? {} : { clock }),
    ...(options.sandboxTuning === undefined ? {} : { tuning: options.sandboxTuning }),
  });
  // For commands that find the folder in use.
  const removeAddress = recordServiceAddress(hostFolder(config), { publicUrl, listensAt: server.url });
  return {
    ...server,
    async stop() {
      removeAddress();
      await server.stop();
    },
  };
}

/** An agent may renew the token in its file, so it is read at each login. */
function openBaoOf({ address, mount, login }: OpenBaoSettings): OpenBaoConfig {
  if (login.kind === "app-role") return { address, mount, login };
  const token = async (): Promise<string> => {
    try {
      return (await readFile(login.file, "utf8")).trim();
    } catch (cause) {
      throw new OperatorError(`SLIPWAY_VAULT_TOKEN_FILE is "${login.file}", which cannot be read.`, {
        cause,
      });
    }
  };
  return { address, mount, login: { kind: "token", token } };
}

/** Slipway's own name, if the edge can serve it: the API listens without TLS on every address, or on loopback. */
function slipwayAt(publicUrl: string, listensAt: string | undefined): SlipwayPlace | null {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== "https:" || listensAt === undefined || isLoopbackUrl(publicUrl) || isIP(hostname) !== 0)
    return null;
  const api = new URL(listensAt);
  const isReachable = ["127.0.0.1", "0.0.0.0", "[::]", "localhost"].includes(api.hostname);
  return api.protocol === "http:" && isReachable ? { hostname, port: Number(api.port) } : null;
}

/** Where connections are reported: within this machine if possible, so that they need neither the DNS nor a certificate. */
function callbacksAt(publicUrl: string, listensAt: string | undefined): string {
  const isPlain = listensAt?.startsWith("http:") === true;
  return `${isPlain ? listensAt : publicUrl}/cloud-callbacks`;
}
