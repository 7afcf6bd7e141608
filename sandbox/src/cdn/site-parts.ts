/** What edges on other machines serve, in parts (`edge/src/remote/parts.ts`). */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import {
  digestOfPair,
  digestOfSites,
  packPart,
  type Part,
  partOf,
  type SiteDescription,
  type Snapshot,
} from "../../../edge/src/remote/parts.ts";
import type { StaticFiles } from "../../../edge/src/site-file.ts";
import type { Site } from "../../../edge/src/requests.ts";
import type { Distributions } from "./distributions.ts";

export type SiteParts = {
  /**
   * The digests of all parts. With many names and frequent changes, those of a moment ago: the names are compared for a
   * fifth of the time at most.
   */
  current(): Promise<Current>;
  /** Without a look at the names; null: there was none yet. */
  known(): Current | null;
  /** Null if it has no names. */
  part(number: number): Promise<Part | null>;
  /** Null if no name has them. */
  files(key: string): Promise<StaticFiles | null>;
};

type Current = { readonly etag: string; readonly snapshot: Snapshot };

/** The process serves requests between two slices. */
const SLICE = 1_000;
/** How much longer than a comparison its result is used, while there are changes. */
const REST = 4;

/** @param ownNames names of the server itself, which only this machine serves */
export function createSiteParts(options: {
  readonly distributions: Pick<Distributions, "names">;
  /** As for the edge on this machine. */
  readonly findSite: (name: string) => Omit<Site, "serve"> | null;
  readonly ownNames: readonly string[];
  readonly mainPort: number;
  /** Changes whenever there may be something else to serve. */
  readonly generation: () => number | string;
}): SiteParts {
  const { distributions, findSite, mainPort } = options;
  const digests = new WeakMap<KeyPair, string>();
  let known: (Current & { readonly generation: number | string; readonly restUntil: number }) | null = null;
  let running: Promise<Current> | null = null;
  let namesByPart: ReadonlyMap<number, readonly string[]> = new Map();
  /** One of the names that have the files, by their key. */
  let namesByFiles: ReadonlyMap<string, string> = new Map();

  function describe(name: string): { readonly site: SiteDescription; readonly pair: KeyPair | null } | null {
    const found = findSite(name);
    if (found === null) return null;
    const { id, certificate: pair, redirectTo, originHost = null, isUnlisted = false } = found;
    // Only this machine has the keys of gates, so the others forward.
    const isOpen = (found.gate ?? null) === null;
    return {
      pair,
      site: {
        name,
        id,
        certificate: pair === null ? null : digestOf(pair),
        redirectTo: isOpen ? redirectTo : null,
        origin: isOpen ? originHost : null,
        files: isOpen ? (found.files?.()?.key ?? null) : null,
        ...(isUnlisted ? { isUnlisted } : {}),
      },
    };
  }

  function digestOf(pair: KeyPair): string {
    const digest = digests.get(pair) ?? digestOfPair(pair);
    digests.set(pair, digest);
    return digest;
  }

  async function compare(): Promise<Current> {
    const generation = options.generation();
    const startedAt = performance.now();
    const sitesByPart = new Map<number, SiteDescription[]>();
    for (const [i, name] of [...options.ownNames, ...distributions.names()].entries()) {
      if (i % SLICE === SLICE - 1) await setImmediate();
      const described = describe(name);
      if (described === null) continue;
      const number = partOf(name);
      const sites = sitesByPart.get(number) ?? [];
      sitesByPart.set(number, sites);
      sites.push(described.site);
    }
    const parts: Record<string, string> = {};
    let inSlice = 0;
    for (const [number, sites] of sitesByPart) {
      parts[number] = digestOfSites(sites);
      inSlice += sites.length;
      if (inSlice < SLICE) continue;
      await setImmediate();
      inSlice = 0;
    }
    // An object has its numbers in order.
    const digest = createHash("sha256")
      .update(JSON.stringify([mainPort, parts]))
      .digest("base64url");
    const etag = `"${digest}"`;
    const now = performance.now();
    namesByFiles = new Map(
      [...sitesByPart.values()].flatMap((sites) =>
        sites.flatMap(({ name, files }) => (files === null ? [] : [[files, name] as const])),
      ),
    );
    namesByPart = new Map([...sitesByPart].map(([number, sites]) => [number, sites.map(({ name }) => name)]));
    known = { etag, snapshot: { parts, mainPort }, generation, restUntil: now + REST * (now - startedAt) };
    return known;
  }

  async function current(): Promise<Current> {
    if (known !== null && (known.generation === options.generation() || performance.now() < known.restUntil))
      return known;
    running ??= compare().finally(() => (running = null));
    return await running;
  }

  return {
    current,
    known: () => known,
    async part(number) {
      await current();
      const described = (namesByPart.get(number) ?? []).flatMap((name) => describe(name) ?? []);
      if (described.length === 0) return null;
      const pairs = new Map(
        described.flatMap(({ site, pair }) =>
          pair === null || site.certificate === null ? [] : [[site.certificate, pair] as const],
        ),
      );
      return packPart(
        described.map(({ site }) => site),
        pairs,
      );
    },
    async files(key) {
      await current();
      const found = findSite(namesByFiles.get(key) ?? "")?.files?.() ?? null;
      return found?.key === key ? found : null;
    },
  };
}
