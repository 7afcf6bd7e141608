/** The sites of an edge on another machine than the control plane, from the parts that it has. */
import type { ServerResponse } from "node:http";
import type { Proxy } from "../origin-proxy.ts";
import { type Site, wildcardOf } from "../requests.ts";
import type { SiteContent } from "../site-file.ts";
import { serveSite } from "../site.ts";
import { type Part, type SiteDescription, unpackPair } from "./parts.ts";

export type SiteTable = {
  find(hostName: string): Site | null;
  /** How many names it has. */
  size(): number;
  sites(): IterableIterator<SiteDescription>;
  parts(): ReadonlyMap<number, Part>;
  /** Null removes the part. */
  put(number: number, part: Part | null): void;
  /** Whether the main machine served a request. */
  wasForwarded(response: ServerResponse): boolean;
};

type Entry = { readonly site: SiteDescription; readonly part: Part };

export function createSiteTable(options: {
  readonly proxy: Proxy;
  /** The edge on the main machine: its name or address, and its port for HTTPS. */
  readonly main: { readonly host: string; readonly port: () => number };
  readonly token: string;
  /** Null: this machine has no copy of them. */
  readonly readFiles: (key: string) => SiteContent | null;
}): SiteTable {
  const { proxy, main, token, readFiles } = options;
  const parts = new Map<number, Part>();
  const entries = new Map<string, Entry>();
  const forwarded = new WeakSet<ServerResponse>();

  function toSite({ site, part }: Entry): Site {
    const certificate = unpackPair(part, site);
    const { id, redirectTo, origin, files, isUnlisted = false } = site;
    return {
      id,
      certificate,
      redirectTo,
      isUnlisted,
      serve(request, response, visitor) {
        if (origin !== null) return proxy.forward(origin, () => false, visitor, request, response);
        const content = files === null ? null : readFiles(files);
        if (content !== null) return serveSite(content, request, response);
        forwarded.add(response);
        const certificatePem = certificate?.certificatePem ?? "";
        const edge = { host: main.host, port: main.port(), certificatePem, token };
        return proxy.forwardToEdge(edge, visitor, request, response);
      },
    };
  }

  return {
    find(hostName) {
      const entry = entries.get(hostName) ?? entries.get(wildcardOf(hostName));
      return entry === undefined ? null : toSite(entry);
    },
    size: () => entries.size,
    *sites() {
      for (const { site } of entries.values()) yield site;
    },
    parts: () => parts,
    put(number, part) {
      const names = new Set(part?.sites.map(({ name }) => name));
      for (const { name } of parts.get(number)?.sites ?? []) if (!names.has(name)) entries.delete(name);
      if (part === null) {
        parts.delete(number);
        return;
      }
      parts.set(number, part);
      for (const site of part.sites) entries.set(site.name, { site, part });
    },
    wasForwarded: (response) => forwarded.has(response),
  };
}
