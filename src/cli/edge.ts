/** `slipway edge`: an edge on another machine than the control plane. */
import { startRemoteEdge } from "../../edge/src/remote/remote-edge.ts";
import { createProgramLogger } from "../lib/log.ts";
import { readRelease } from "../lib/release.ts";
import { readEdgeConfig } from "../start/config/config.ts";
import { stopOnSignal } from "../start/stop-on-signal.ts";

/**
 * Starts the edge. Resolves when it serves; a signal drains it and ends the process.
 * @throws ConfigError, ListenError, CaddyError, FolderError, EdgeSecretError
 */
export async function runEdge(): Promise<void> {
  const config = readEdgeConfig();
  const log = createProgramLogger(config);
  const edge = await startRemoteEdge({
    ...config,
    portVariables: { https: "SLIPWAY_EDGE_HTTPS_PORT", http: "SLIPWAY_EDGE_HTTP_PORT" },
    version: readRelease(),
    onAccess: config.logsAccess ? (entry) => log.info(entry, "Request") : null,
    log,
  });
  stopOnSignal(log, () => edge.stop());
  const { id, addresses } = config;
  log.info(
    { id, addresses, httpsPort: edge.port, httpPort: edge.httpPort, names: edge.names() },
    "The edge serves",
  );
}
