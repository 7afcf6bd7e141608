/**
 * An edge on another machine than the control plane. It serves from a copy of what the control plane gives, which it
 * also keeps on its disk, sealed: it serves while the control plane is down, and after its own restart.
 */
import type { ServerResponse } from "node:http";
import path from "node:path";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import { pause } from "../../../src/lib/pace/pause.ts";
import { createWake } from "../../../src/lib/pace/wake.ts";
import { type CaddyEdgeOptions, startCaddyEdge } from "../caddy/caddy-edge.ts";
import { type Edge, type EdgeOptions, startEdge } from "../edge.ts";
import { createProxy } from "../origin-proxy.ts";
import { createControl, PLACES } from "./control.ts";
import { createFileCopies } from "./file-copies.ts";
import { deriveEdgeKeys, EdgeSecretError } from "./keys.ts";
import type { Part } from "./parts.ts";
import { createTrafficBatches, MAX_COUNTS } from "./report.ts";
import { openSealedCopy } from "./sealed-copy.ts";
import { createSiteTable } from "./site-table.ts";

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
  /** How much space copies of files may take. Default: 2 GiB. */
  readonly filesMaxBytes?: number;
  /** The Caddy that listens on the ports; by default, this program listens. */
  readonly caddy?: Pick<CaddyEdgeOptions, "caddyUrl" | "counts" | "laterMs"> | null;
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
/** How many parts are read at a time. */
const READERS = 4;
const FILES_BYTES = 2 * 1024 ** 3;
/** A release that did not fit may fit later. */
const FILES_AGAIN_MS = 600_000;
/** For the last traffic, when the edge stops. */
const LAST_REPORT_MS = 3_000;
const REPORT_MS = 10_000;
/** The file of the copy that says where the main machine is. */
const MAIN = "main";
const RETRY_MS = { first: 200, last: 10_000 };

/** @throws ListenError, CaddyError, FolderError, EdgeSecretError (the copy is of another secret) */
export async function startRemoteEdge(options: RemoteEdgeOptions): Promise<RemoteEdge> {
  const { log } = options;
  const keys = deriveEdgeKeys(options.secret);
  const control = createControl(options.controlUrl, keys);
  const copy = openSealedCopy(path.join(options.folder, "names"));
  const allowed = parseAllowedHosts(options.allowedOrigins);
  const proxy = createProxy({ name: options.id, lookUpFirst: () => [], allowed });
  const traffic = createTrafficBatches(Date.now);
  const startedAt = Date.now();
  const stopping = new AbortController();
  const copying = createWake(stopping.signal);
  const reporting = createWake(stopping.signal);
  const main = new URL(options.controlUrl).hostname.replace(/^\[|\]$/g, "");
  let mainPort = 443;
  const files = createFileCopies({
    folder: path.join(options.folder, "files"),
    maxBytes: options.filesMaxBytes ?? FILES_BYTES,
    control,
    keys,
    log,
  });
  const table = createSiteTable({
    proxy,
    main: { host: main, port: () => mainPort },
    token: keys.token,
    readFiles: (key) => files.read(key),
  });
  /** Parts that are served, and whose copies are not on the disk. */
  const unsaved = new Set<number>();
  let isMainSaved = true;
  let served: { readonly etag: string; readonly at: number } | null = null;

  await readCopy();
  await files.open();
  const { caddy = null } = options;
  const serving = {
    ...options,
    findSite: (name: string) => table.find(name),
    challenges: control.challenges,
    // The main machine counts what it serves itself.
    onAnswered: (siteId: string, status: number | null, response: ServerResponse | null) => {
      if (response === null || !table.wasForwarded(response)) traffic.count(siteId, status);
    },
  };
  const edge =
    caddy === null
      ? { ...(await startEdge(serving)), refresh() {}, isServing: () => true }
      : await startCaddyEdge({
          ...serving,
          ...caddy,
          allowed,
          served: () =>
            [...table.sites()].map(({ name, origin, redirectTo, isUnlisted = false }) => ({
              name,
              // This program does what Caddy would not.
              origin: redirectTo === null && !isUnlisted ? origin : null,
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
        await pause(waitMs, stopping.signal);
        waitMs = Math.min(2 * waitMs, RETRY_MS.last);
      }
    }
  }

  async function follow(): Promise<void> {
    const found = await control.readSnapshot(served?.etag ?? null, WAIT_SECONDS, stopping.signal);
    if (found !== null) {
      if (mainPort !== found.snapshot.mainPort) {
        ({ mainPort } = found.snapshot);
        isMainSaved = false;
      }
      const wanted = new Map(
        Object.entries(found.snapshot.parts).map(([key, digest]) => [Number(key), digest]),
      );
      const old = [...table.parts().keys()].filter((number) => !wanted.has(number));
      for (const number of old) use(number, null);
      const changed = [...wanted].filter(([number, digest]) => table.parts().get(number)?.digest !== digest);
      const next = changed.values();
      const read = async () => {
        for (const [number] of next) use(number, await control.readPart(number, stopping.signal));
      };
      try {
        await Promise.all(Array.from({ length: READERS }, read));
      } finally {
        if (changed.length + old.length > 0) edge.refresh();
      }
      served = { etag: found.etag, at: Date.now() };
      copying.wake();
      reporting.wake();
      log.info({ names: table.size() }, "The edge has a new snapshot");
    }
    await save();
  }

  function use(number: number, part: Part | null): void {
    table.put(number, part);
    unsaved.add(number);
  }

  /** A copy that cannot be written is written later, and does not keep the edge from following. */
  async function save(): Promise<void> {
    try {
      if (!isMainSaved) await copy.write(MAIN, keys.seal(MAIN, Buffer.from(JSON.stringify({ mainPort }))));
      isMainSaved = true;
      for (const number of unsaved) {
        const part = table.parts().get(number);
        if (part === undefined) await copy.remove(String(number));
        else
          await copy.write(String(number), keys.seal(PLACES.part(number), Buffer.from(JSON.stringify(part))));
        unsaved.delete(number);
      }
    } catch (error) {
      log.warn({ err: error }, "The edge serves what is new, but cannot save the copy; it tries again");
    }
  }

  /** @throws EdgeSecretError */
  async function readCopy(): Promise<void> {
    let damaged: unknown = null;
    for (const name of await copy.list()) {
      const number = Number(name);
      const sealed = await copy.read(name);
      if (sealed === null) continue;
      const open = (place: string): unknown => JSON.parse(keys.open(place, sealed).toString());
      try {
        if (name === MAIN) ({ mainPort } = open(MAIN) as { mainPort: number });
        else table.put(number, open(PLACES.part(number)) as Part);
      } catch (error) {
        if (!(error instanceof EdgeSecretError)) throw error;
        damaged = error;
        log.warn({ file: name }, "A part of the edge's copy is damaged; the edge reads it again");
      }
    }
    if (damaged === null || table.size() > 0) return;
    throw new EdgeSecretError(
      `The copy in ${copy.folder} is damaged, or was sealed with another SLIPWAY_EDGE_SECRET. Set that secret again, or delete the folder: the edge then reads a new copy from the main machine.`,
      { cause: damaged },
    );
  }

  async function send(batch: ReturnType<typeof traffic.next>, signal: AbortSignal): Promise<void> {
    const { id, addresses, version } = options;
    const ports = { http: edge.httpPort, https: edge.port };
    const names = table.size();
    const snapshot = edge.isServing() ? served : null;
    await control.report({ id, addresses, ports, version, startedAt, names, snapshot, ...batch }, signal);
  }
  async function report(): Promise<void> {
    const batch = traffic.next();
    await send(batch, stopping.signal);
    traffic.acknowledge(batch.sequence);
    // The next report is due at once: there was more than fits in one.
    if (batch.traffic.length === MAX_COUNTS) return;
    await reporting.next(options.reportMs ?? REPORT_MS);
  }

  async function sendLast(): Promise<void> {
    const signal = AbortSignal.timeout(LAST_REPORT_MS);
    for (let batch = traffic.next(); batch.traffic.length > 0; batch = traffic.next()) {
      await send(batch, signal);
      traffic.acknowledge(batch.sequence);
    }
  }

  async function copyFiles(): Promise<void> {
    // Before the first snapshot, this machine does not know which files are of no use.
    if (served !== null) {
      const wanted = new Set([...table.sites()].flatMap(({ files: key }) => key ?? []));
      await files.follow(wanted, stopping.signal);
    }
    await copying.next(FILES_AGAIN_MS);
  }

  const loops = [
    repeat(copyFiles, "The files of a release cannot be copied; the main machine serves them"),
    repeat(follow, "The control plane gives no snapshot; the edge serves the last one"),
    repeat(report, "The control plane takes no report"),
  ];
  return {
    ...edge,
    names: () => table.size(),
    async stop() {
      await edge.stop();
      stopping.abort();
      await Promise.all(loops);
      await sendLast().catch(() => {});
      proxy.stop();
    },
  };
}
