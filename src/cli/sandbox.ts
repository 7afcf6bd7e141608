/**
 * `slipway sandbox`: the small cloud as a separate process, for several API and worker processes, which reach it at
 * SLIPWAY_SANDBOX_URL: the sandbox, or with SLIPWAY_CLOUD=host the edge of this server. It keeps running when a worker is
 * killed.
 */
import { closeFolders } from "../start/open/close-folder.ts";
import { type Config, ConfigError, readConfig } from "../start/config/config.ts";
import { createProgramLogger } from "../lib/log.ts";
import { startConfiguredHost } from "../start/open/open-host.ts";
import { startConfiguredSandbox } from "../start/open/open-sandbox.ts";
import { stopOnSignal } from "../start/stop-on-signal.ts";

const DEFAULT_PORT = 4100;

/**
 * Starts the sandbox. Resolves when it serves; a signal ends the process. @throws ConfigError, ListenError,
 * FolderError, SandboxStartError
 */
export async function runSandbox(): Promise<void> {
  const config = readConfig();
  const { secret } = config.sandbox;
  const publicUrl = publicUrlOf(config);
  const problems: string[] = [];
  if (config.cloud === "aws") problems.push('SLIPWAY_CLOUD is "aws", so nothing would use the sandbox.');
  if (secret === null)
    problems.push(
      "SLIPWAY_SANDBOX_SECRET is not set. Processes that share the sandbox authenticate with it. Set the same value for all of them.",
    );
  if (publicUrl === null)
    problems.push(
      "SLIPWAY_PUBLIC_URL is not set and PORT is 0: the sandbox's stacks would not know where the API is. Set one of them.",
    );
  if (secret === null || publicUrl === null || problems.length > 0) throw new ConfigError(problems);

  closeFolders(config);
  const log = createProgramLogger(config);
  const at = { host: config.host, httpPort: httpPortOf(config) };
  if (config.ownServer !== null) {
    const listensAt = config.tls === null ? localUrlOf(config) : null;
    const server = await startConfiguredHost(config, config.ownServer, {
      log,
      publicUrl,
      secret,
      at,
      ...(listensAt === null ? {} : { listensAt }),
    });
    const { url, ports } = server;
    stopOnSignal(log, () => server.stop());
    process.stderr.write(
      `\n  The edge of this server listens on the ports ${ports.http} and ${ports.https}, its DNS on port ${ports.dns}\n` +
        `  ${server.describeCommands()}\n\n` +
        `  Start the other processes with SLIPWAY_SANDBOX_URL=${url}\n\n`,
    );
    log.info({ url, ports, publicUrl }, "The edge of this server serves");
    return;
  }
  const server = await startConfiguredSandbox(config, { log, publicUrl, secret, at });
  const { url, dnsAddress, edgePort } = server;
  stopOnSignal(log, () => server.stop());
  process.stderr.write(
    `\n  Slipway's sandbox is at ${url}  (DNS at ${dnsAddress.host}:${dnsAddress.port}, HTTPS edge at port ${edgePort})\n` +
      `  ${server.describeCommands()}\n\n` +
      `  Its stacks report to ${publicUrl}. Start the other processes with SLIPWAY_SANDBOX_URL=${url}\n\n`,
  );
  log.info({ url, dnsAddress, edgePort, publicUrl }, "The sandbox serves");
}

/** The API's address, by the same rule as in the API; null when it cannot be known yet. */
function publicUrlOf(config: Config): string | null {
  return config.publicUrl ?? localUrlOf(config);
}

/** Where the API listens on this machine, if it has this process's HOST and PORT; null when any free port is used. */
function localUrlOf({ host, port }: Config): string | null {
  if (port === 0) return null;
  const name = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** The port in SLIPWAY_SANDBOX_URL. An https URL leads to a proxy, which has its own port. */
function httpPortOf({ sandbox }: Config): number {
  if (sandbox.url === null) return DEFAULT_PORT;
  const { protocol, port } = new URL(sandbox.url);
  if (protocol === "https:") return DEFAULT_PORT;
  return port === "" ? 80 : Number(port);
}
