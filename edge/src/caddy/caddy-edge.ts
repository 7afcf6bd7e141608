/**
 * Caddy as the edge: a Caddy on this machine listens on the public ports. It asks this program for the certificate of a
 * name at the handshake, forwards requests to origins itself, and passes all others to this program, on loopback.
 */
import type { AllowedHosts } from "../../../src/egress/address-rules.ts";
import { pause } from "../../../src/lib/pace/pause.ts";
import { createWake } from "../../../src/lib/pace/wake.ts";
import type { AccessEntry } from "../access-log.ts";
import { type Edge, type EdgeOptions, LIMITS } from "../edge.ts";
import { plainName } from "../requests.ts";
import { startBehind } from "./behind.ts";
import { createCaddyAdmin } from "./caddy-admin.ts";
import { buildCaddyConfig } from "./caddy-config.ts";
import { readSystemNames, startOriginNames } from "./origin-names.ts";
import { planRoutes, type Routes, type ServedName, urgencyOf } from "./plan-routes.ts";
import { startRequestLog } from "./request-log.ts";

export type CaddyEdgeOptions = Omit<EdgeOptions, "isLocal" | "isFromEdge" | "limits"> & {
  readonly id: string;
  /** Of Caddy's admin API, without a trailing slash. */
  readonly caddyUrl: string;
  readonly httpPort: number;
  /** Hosts and networks that are not public, but may still be origins. */
  readonly allowed: AllowedHosts;
  readonly served: () => readonly ServedName[];
  /** Whether requests that Caddy forwards are counted; yes by default. */
  readonly counts?: boolean;
  /** How long routes may wait that are only new. */
  readonly laterMs?: number;
};

export type CaddyEdge = Edge & {
  /** What `served` gives may have changed. */
  refresh(): void;
  /** Whether Caddy had the routes when it was last asked. */
  isServing(): boolean;
};

const LATER_MS = 60_000;
/** How often Caddy is asked whether it still has the configuration: another start of it has its own one. */
const WATCH_MS = 2_000;
/** Where the configuration says which start of this program made it. */
const MARK = "apps/tls/automation/policies/0/get_certificate/0/url";

/** @throws CaddyError */
export async function startCaddyEdge(options: CaddyEdgeOptions): Promise<CaddyEdge> {
  const { id, host, httpPort, httpsPort, allowed, findSite, onAnswered, onAccess, log } = options;
  const drainMs = options.drainMs ?? 0;
  const admin = createCaddyAdmin(options.caddyUrl);
  const behind = await startBehind({ ...options, publicHttpsPort: httpsPort });
  const names = await startOriginNames(allowed);
  // Nothing else needs what Caddy says about a request, and it costs Caddy a third of its time.
  const isLogged = (options.counts ?? true) || (onAccess ?? null) !== null;
  const requestLog = isLogged ? await startRequestLog(countDirect) : null;
  const stopping = new AbortController();
  const woken = createWake(stopping.signal);
  /** Null: `served` may have changed. */
  let wanted: Routes | null = null;
  let loaded: { readonly routes: Routes; readonly at: number } | null = null;
  let isServing = true;

  function countDirect(entry: AccessEntry): void {
    const site = findSite(plainName(entry.host.replace(/:\d+$/, "")));
    // RFC 9110, section 15.5.20: the request was not for this site.
    if (site !== null && entry.status !== 421) onAnswered(site.id, entry.status, null);
    onAccess?.(entry);
  }

  async function load(routes: Routes): Promise<void> {
    const kept = (await admin.read("admin")) as Readonly<Record<string, unknown>> | null;
    await admin.load(
      buildCaddyConfig({
        id,
        host,
        httpPort,
        httpsPort,
        ...routes,
        behind: { ...behind, logPort: requestLog?.port ?? null, dnsPort: names.port },
        hstsSeconds: options.hstsSeconds ?? null,
        trustedProxies: options.trustedProxies ?? [],
        limits: LIMITS,
        admin: kept,
      }),
    );
    loaded = { routes, at: performance.now() };
  }

  async function plan(): Promise<Routes> {
    if (wanted !== null) return wanted;
    const systemNames = await readSystemNames();
    return (wanted = planRoutes(options.served(), { allowed, systemNames }));
  }

  async function look(): Promise<void> {
    const routes = await plan();
    const mark = await admin.read(MARK);
    if (loaded === null || mark !== behind.certificateUrl) return load(routes);
    if (loaded.routes === routes) return;
    const urgency = urgencyOf(loaded.routes, routes);
    const isDue = performance.now() - loaded.at >= (options.laterMs ?? LATER_MS);
    if (urgency === "now" || (urgency === "later" && isDue)) await load(routes);
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await woken.next(WATCH_MS);
      if (stopping.signal.aborted) return;
      try {
        await look();
        isServing = true;
      } catch (error) {
        isServing = false;
        log.warn({ err: error }, "Caddy does not have the edge's present routes; the edge tries again");
        await pause(WATCH_MS, stopping.signal);
      }
    }
  }

  async function close(waitMs: number): Promise<void> {
    await behind.stop(waitMs);
    requestLog?.stop();
    names.stop();
  }

  try {
    await load(await plan());
  } catch (error) {
    await close(0);
    throw error;
  }
  const following = follow();
  return {
    port: httpsPort,
    httpPort,
    refresh() {
      wanted = null;
      woken.wake();
    },
    isServing: () => isServing,
    async stop() {
      stopping.abort();
      await following;
      // Caddy finishes the requests to origins, and this program the requests that Caddy passes to it.
      await admin.unload().catch((error: unknown) => {
        log.warn({ err: error }, "Caddy may still have the edge's routes");
      });
      await close(drainMs);
    },
  };
}
