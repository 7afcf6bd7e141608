/** The requests that an edge answers now, and their end when it stops. */
import type { ServerResponse } from "node:http";
import { type Tunnel, TUNNEL_EVENT } from "./upgrade.ts";

export type Exchanges = {
  begin(response: ServerResponse): void;
  /** From now on every answer ends its connection, where the protocol can say so. */
  startDrain(): void;
  /** Resolves when no request is being answered, or after this time. */
  whenIdle(limitMs: number): Promise<void>;
  /** Closes the WebSockets that are still open after this time. */
  endTunnels(afterMs: number): Promise<void>;
  stop(): void;
};

type Exchange = { readonly response: ServerResponse; stalledSince: number | null };

const SWEEP_MS = 10_000;

/** @param stallMs how long a visitor may take none of an answer that waits for it */
export function createExchanges(stallMs: number): Exchanges {
  const open = new Map<ServerResponse, Exchange>();
  const tunnels = new Set<Tunnel>();
  let isDraining = false;
  let onIdle: (() => void) | null = null;

  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const exchange of open.values()) {
        if (!exchange.response.writableNeedDrain) exchange.stalledSince = null;
        else if (exchange.stalledSince === null) {
          exchange.stalledSince = now;
          exchange.response.once("drain", () => (exchange.stalledSince = null));
        } else if (now - exchange.stalledSince >= stallMs) exchange.response.destroy();
      }
    },
    Math.min(SWEEP_MS, stallMs),
  ).unref();

  return {
    begin(response) {
      open.set(response, { response, stalledSince: null });
      const end = () => {
        open.delete(response);
        if (open.size === 0) onIdle?.();
      };
      response.once("close", end);
      response.once(TUNNEL_EVENT, (tunnel: Tunnel) => {
        end();
        tunnels.add(tunnel);
        void tunnel.ended.then(() => tunnels.delete(tunnel));
      });
      if (isDraining) endConnectionAfter(response);
    },
    startDrain() {
      isDraining = true;
      for (const response of open.keys()) endConnectionAfter(response);
    },
    async whenIdle(limitMs) {
      if (open.size === 0) return;
      const idle = Promise.withResolvers<void>();
      onIdle = idle.resolve;
      const limit = setTimeout(idle.resolve, limitMs);
      await idle.promise;
      clearTimeout(limit);
    },
    async endTunnels(afterMs) {
      if (tunnels.size === 0) return;
      const timer = Promise.withResolvers<void>();
      const limit = setTimeout(timer.resolve, afterMs);
      await Promise.race([Promise.all([...tunnels].map(({ ended }) => ended)), timer.promise]);
      clearTimeout(limit);
      await Promise.all([...tunnels].map((tunnel) => tunnel.goAway()));
    },
    stop: () => clearInterval(sweep),
  };
}

/** HTTP/1.1 only. A session of HTTP/2 says it once for all of its requests. */
function endConnectionAfter(response: ServerResponse): void {
  if (response.req.httpVersionMajor === 1 && !response.headersSent) response.setHeader("connection", "close");
}
