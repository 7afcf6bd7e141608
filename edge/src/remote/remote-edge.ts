/**
 * An edge on another machine than the control plane. It serves from a copy of what the control plane gives, which it
 * also keeps on its disk, sealed: it serves while the control plane is down, and after its own restart.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { type CaddyEdgeOptions, startCaddyEdge } from "../caddy/caddy-edge.ts";
import { type Edge, type EdgeOptions, startEdge } from "../edge.ts";
import { createProxy } from "../origin-proxy.ts";
import type { Site } from "../requests.ts";
import { createControl, PLACES } from "./control.ts";
import { deriveEdgeKeys, EdgeSecretError } from "./keys.ts";
import { createTrafficBatches, MAX_COUNTS } from "./report.ts";
import { openSealedCopy } from "./sealed-copy.ts";
import { createSnapshotSites, isServedAlone, type Snapshot } from "./snapshot.ts";

export type RemoteEdgeOptions = Pick<
  EdgeOptions,
  "host" | "httpsPort" | "portVariables" | "onAccess" | "trustedProxies" | "hstsSeconds" | "drainMs"
> & {
  readonly id: string;
  readonly httpPort: number;
  readonly addresses: readonly string[];
  readonly version: string;
  /** Without a trailing slash. */
  readonly controlUrl: string;
  readonly secret: string;
  /** For the sealed copy. */
  readonly folder: string;
  /** Hosts and networks that are not public, but may still be origins. */
  readonly allowedOrigins: readonly string[];
  /** The Caddy that listens on the ports; by default, this program listens. */
  readonly caddy?: Pick<CaddyEdgeOptions, "caddyUrl" | "laterMs"> | null;
  readonly reportMs?: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

export type RemoteEdge = Edge & {
  /** How many names it serves now. */
  names(): number;
};

const WAIT_SECONDS = 25;
const REPORT_MS = 10_000;
const RETRY_MS = { first: 200, last: 10_000 };

/** @throws ListenError, CaddyError, FolderError, EdgeSecretError (the copy is of another secret) */
export async function startRemoteEdge(options: RemoteEdgeOptions): Promise<RemoteEdge> {
  const { log } = options;
  const keys = deriveEdgeKeys(options.secret);
  const control = createControl(options.controlUrl, keys);
  const copy = openSealedCopy(options.folder);
  const allowed = parseAllowedHosts(options.allowedOrigins);
  const proxy = createProxy({ name: options.id, lookUpFirst: () => [], allowed });
  const traffic = createTrafficBatches(Date.now);
  const startedAt = Date.now();
  const stopping = new AbortController();
  const main = new URL(options.controlUrl).hostname.replace(/^\[|\]$/g, "");
  let findSite: (name: string) => Site | null = () => null;
  let sites: Snapshot["sites"] = [];
  let servedAlone: ReadonlySet<string> = new Set();
  /** The snapshot that is served, until its copy is on the disk. */
  let unsaved: Buffer | null = null;
  let served: { readonly etag: string; readonly at: number } | null = null;

  function use(sealed: Buffer): void {
    const snapshot = JSON.parse(keys.open(PLACES.snapshot, sealed).toString()) as Snapshot;
    findSite = createSnapshotSites(snapshot, { proxy, main, token: keys.token });
    ({ sites } = snapshot);
    servedAlone = new Set(sites.filter(isServedAlone).map(({ id }) => id));
  }

  const kept = await copy.read();
  try {
    if (kept !== null) use(kept);
  } catch (error) {
    if (!(error instanceof EdgeSecretError)) throw error;
    throw new EdgeSecretError(
      `${copy.file} is damaged, or was sealed with another SLIPWAY_EDGE_SECRET. Set that secret again, or delete the file: the edge then reads a new copy from the main machine.`,
      { cause: error },
    );
  }
  const { caddy = null } = options;
  const serving = {
    ...options,
    findSite: (name: string) => findSite(name),
    challenges: control.challenges,
    // The main machine counts what it serves itself.
    onAnswered: (siteId: string, status: number | null) => {
      if (servedAlone.has(siteId)) traffic.count(siteId, status);
    },
  };
  const edge =
    caddy === null
      ? { ...(await startEdge(serving)), refresh() {} }
      : await startCaddyEdge({
          ...serving,
          ...caddy,
          allowed,
          served: () =>
            sites.map(({ name, origin, redirectTo }) => ({
              name,
              origin: redirectTo === null ? origin : null,
            })),
        });

  /** Repeats a step until the stop; after a failure it waits, longer each time. */
  async function repeat(step: () => Promise<void>, failed: string): Promise<void> {
    let waitMs = RETRY_MS.first;
    while (!stopping.signal.aborted) {
      try {
        await step();
        waitMs = RETRY_MS.first;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn({ err: error }, failed);
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
        waitMs = Math.min(2 * waitMs, RETRY_MS.last);
      }
    }
  }

  async function follow(): Promise<void> {
    const found = await control.readSnapshot(served?.etag ?? null, WAIT_SECONDS, stopping.signal);
    if (found !== null) {
      use(found.sealed);
      edge.refresh();
      served = { etag: found.etag, at: Date.now() };
      unsaved = found.sealed;
      reportNow();
      log.info({ names: sites.length }, "The edge has a new snapshot");
    }
    if (unsaved !== null) await save(unsaved);
  }

  /** A copy that cannot be written is written later, and does not keep the edge from following. */
  async function save(sealed: Buffer): Promise<void> {
    try {
      await copy.write(sealed);
      unsaved = null;
    } catch (error) {
      log.warn({ err: error }, "The edge serves its new snapshot, but cannot save the copy; it tries again");
    }
  }

  let reportNow = (): void => {};
  async function send(batch: ReturnType<typeof traffic.next>): Promise<void> {
    const { id, addresses, version } = options;
    const ports = { http: edge.httpPort, https: edge.port };
    const names = sites.length;
    await control.report({ id, addresses, ports, version, startedAt, names, snapshot: served, ...batch });
  }
  async function report(): Promise<void> {
    const batch = traffic.next();
    await send(batch);
    traffic.acknowledge(batch.sequence);
    // The next report is due at once: there was more than fits in one.
    if (batch.traffic.length === MAX_COUNTS) return;
    const woken = new AbortController();
    reportNow = () => woken.abort();
    const signal = AbortSignal.any([stopping.signal, woken.signal]);
    await sleep(options.reportMs ?? REPORT_MS, undefined, { signal }).catch(() => {});
  }

  const loops = [
    repeat(follow, "The control plane gives no snapshot; the edge serves the last one"),
    repeat(report, "The control plane takes no report"),
  ];
  return {
    ...edge,
    names: () => sites.length,
    async stop() {
      await edge.stop();
      stopping.abort();
      await Promise.all(loops);
      const last = traffic.next();
      if (last.traffic.length > 0) await send(last).catch(() => {});
      proxy.stop();
    },
  };
}
