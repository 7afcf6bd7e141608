/**
 * Distributions as CloudFront keeps them. A change is the current configuration at once, and goes live after the deploy
 * lag; until then the edge serves the previous one. Both are stored as revisions with the time at which they go live,
 * so no timer has to survive a restart.
 */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { DistributionUpdate, Origin } from "../../../src/cloud/cloud.ts";
import { accessKeyOf, type PreviewAccess } from "../../../src/cloud/preview-access.ts";
import {
  REDIRECTS_MAX_BYTES,
  type Redirects,
  redirectsKeyOf,
  writeRedirects,
} from "../../../src/cloud/redirects.ts";
import type { Gate } from "../../../src/lib/preview-gate.ts";
import { type Route, type Routes, routesKeyOf } from "../../../src/cloud/routing.ts";
import { isHostName, parentOf } from "../dns/names.ts";
import type { DistributionMessage } from "../protocol.ts";
import { invalid, Refusal } from "../refusal.ts";
import { openOwned, type SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";
import type { Vault } from "../vault.ts";

/** As `PreviewAccess`, for the disk. */
type SealedAccess = { readonly gate: (Omit<Gate, "key"> & { readonly sealedKey: string }) | null };

type Revision = {
  readonly aliases: readonly string[];
  readonly certificateId: string | null;
  readonly enabled: boolean;
  /** Missing in the first revision and in those of an earlier release: the distribution's origin applies. */
  readonly origin?: Origin;
  /** Missing in those of an earlier release: none. */
  readonly redirects?: Redirects;
  /** Only of a preview. */
  readonly access?: SealedAccess;
  readonly liveAt: number;
  /** Missing in folders of an earlier release. */
  readonly changedAt?: number;
};

type StoredDistribution = {
  readonly id: string;
  readonly accountId: string;
  readonly token: string;
  readonly domainName: string;
  /** The origin that it was created with. */
  readonly origin: Origin;
  /** Missing in folders of an earlier release: none. */
  readonly routes?: Routes;
  readonly etag: string;
  /** Oldest first; the last one is current. Never empty. */
  readonly revisions: readonly Revision[];
};

export type Distributions = {
  create(accountId: string, token: string, origin: Origin, access?: PreviewAccess): DistributionMessage;
  describe(accountId: string, id: string): DistributionMessage | null;
  update(accountId: string, id: string, update: DistributionUpdate): DistributionMessage;
  delete(accountId: string, id: string, etag: string): "deleted" | "not-ready";
  list(accountId: string): readonly StoredDistribution[];
  /** Host names of the provider's, of all accounts. */
  domainNames(): readonly string[];
  /** Called when a distribution was created or deleted. */
  onChange(listener: () => void): void;
  view(distribution: StoredDistribution): DistributionMessage;
  isCertificateInUse(certificateId: string): boolean;
  /** Whether a distribution has this host name of the provider's. */
  hasDomainName(domainName: string): boolean;
  /** Each name and wildcard for which `findLive` may have something, and each name that has a route. */
  names(): readonly string[];
  /** What the edge serves for a host name: only the live revision, and exact names before wildcards. */
  findLive(hostName: string): Live | null;
  /** Null: everyone is answered. */
  gateOf(live: Live): Gate | null;
};

type Live = { readonly distribution: StoredDistribution; readonly revision: Revision };

const MAX_ALIASES = 100;
const MAX_ROUTES = 10_000;

export function createDistributions(options: {
  state: SandboxState;
  tuning: SandboxTuning;
  now: () => number;
  /** Distributions have names below it. */
  zone: string;
  vault: Pick<Vault, "seal" | "open">;
  isCertificateUsable: (certificateId: string, accountId: string, aliases: readonly string[]) => boolean;
}): Distributions {
  const { state, tuning, now, zone, vault, isCertificateUsable } = options;
  const store = openOwned<StoredDistribution>(state, "distributions", ({ token }) => token);
  const listeners: (() => void)[] = [];
  /** Ids by host name of the provider's, and by alias and certificate of any kept revision. */
  const idsByKey = new Map<string, Set<string>>();
  /** The distributions that have routes. */
  const routedIds = new Set<string>();
  const having = (key: string) => [...(idsByKey.get(key) ?? [])].flatMap((id) => store.get(id) ?? []);

  function index(distribution: StoredDistribution): void {
    for (const key of keysOf(distribution)) {
      const ids = idsByKey.get(key) ?? new Set();
      idsByKey.set(key, ids.add(distribution.id));
    }
    if (Object.keys(distribution.routes ?? {}).length > 0) routedIds.add(distribution.id);
  }
  function unindex(distribution: StoredDistribution): void {
    for (const key of keysOf(distribution)) {
      const ids = idsByKey.get(key);
      ids?.delete(distribution.id);
      if (ids?.size === 0) idsByKey.delete(key);
    }
    routedIds.delete(distribution.id);
  }
  for (const distribution of store.values()) index(distribution);

  function view(distribution: StoredDistribution): DistributionMessage {
    const current = currentOf(distribution);
    return {
      id: distribution.id,
      domainName: distribution.domainName,
      aliases: [...current.aliases],
      certificateId: current.certificateId,
      enabled: current.enabled,
      redirectsKey: redirectsKeyOf(current.redirects ?? {}),
      accessKey:
        current.access === undefined
          ? null
          : accessKeyOf({ gate: gateOf({ distribution, revision: current }) }),
      routesKey: routesKeyOf(distribution.routes ?? {}),
      changedAt: current.changedAt ?? current.liveAt,
      deployed: now() >= current.liveAt,
      etag: distribution.etag,
    };
  }

  const placeOf = (id: string) => `gate of ${id}`;

  function sealAccess(id: string, { gate }: PreviewAccess): SealedAccess {
    if (gate === null) return { gate };
    const { key, ...open } = gate;
    return { gate: { ...open, sealedKey: vault.seal(placeOf(id), key) } };
  }

  function gateOf({ distribution, revision }: Live): Gate | null {
    const { gate } = revision.access ?? { gate: null };
    if (gate === null) return null;
    const { sealedKey, ...open } = gate;
    return { ...open, key: vault.open(placeOf(distribution.id), sealedKey) };
  }

  function takenAt(at: number): Pick<Revision, "changedAt" | "liveAt"> {
    return { changedAt: at, liveAt: at + tuning.deployLagMs };
  }

  function findLive(hostName: string): Live | null {
    const at = now();
    const parent = parentOf(hostName);
    for (const name of parent === null ? [hostName] : [hostName, `*.${parent}`]) {
      for (const distribution of having(name)) {
        const revision = distribution.revisions.findLast(({ liveAt }) => liveAt <= at);
        if (revision?.enabled !== true) continue;
        if (distribution.domainName === name || revision.aliases.includes(name))
          return { distribution, revision };
      }
    }
    return null;
  }

  return {
    create(accountId, token, origin, access) {
      const known = store.byToken(accountId, token);
      if (known !== undefined) return view(known);
      if (store.count(accountId) >= tuning.distributionsQuota) {
        throw new Refusal(
          "limit",
          "TOO_MANY_DISTRIBUTIONS",
          `The account has reached its quota of ${tuning.distributionsQuota} distributions.`,
        );
      }
      const id = `E${randomText(UPPER_CASE, 13)}`;
      const distribution: StoredDistribution = {
        id,
        accountId,
        token,
        domainName: `d${randomText(LOWER_CASE, 13)}.${zone}`,
        origin,
        etag: `E${randomText(UPPER_CASE, 13)}`,
        revisions: [
          {
            aliases: [],
            certificateId: null,
            enabled: true,
            ...(access === undefined ? {} : { access: sealAccess(id, access) }),
            ...takenAt(now()),
          },
        ],
      };
      store.put(distribution);
      index(distribution);
      for (const listener of listeners) listener();
      return view(distribution);
    },

    describe(accountId, id) {
      const distribution = store.own(accountId, id);
      return distribution === undefined ? null : view(distribution);
    },

    update(accountId, id, update) {
      const distribution = store.own(accountId, id);
      if (distribution === undefined) {
        throw new Refusal("gone", "NOT_FOUND", "There is no such distribution in the account.");
      }
      if (update.etag !== distribution.etag) {
        throw new Refusal("retryable", "STALE_ETAG", "The distribution has changed since it was read.");
      }
      const aliases = [...new Set(update.aliases)].sort();
      refuseBadAliases(aliases);
      const taken = aliases.find((alias) =>
        having(alias).some((other) => other.id !== id && currentOf(other).aliases.includes(alias)),
      );
      if (taken !== undefined) {
        throw new Refusal("invalid", "ALIAS_IN_USE", `${taken} is already on another distribution.`);
      }
      const isCovered =
        update.certificateId === null
          ? aliases.length === 0
          : isCertificateUsable(update.certificateId, accountId, aliases);
      if (!isCovered) {
        throw new Refusal(
          "invalid",
          "CERTIFICATE_UNUSABLE",
          "The aliases need an issued certificate of the same account that covers each of them.",
        );
      }
      const at = now();
      const { certificateId, enabled, origin = originOf(distribution) } = update;
      const redirects = update.redirects ?? currentOf(distribution).redirects ?? {};
      refuseBadRedirects(redirects);
      const access =
        update.access === undefined ? currentOf(distribution).access : sealAccess(id, update.access);
      const revision: Revision = {
        aliases,
        certificateId,
        enabled,
        origin,
        redirects,
        ...(access === undefined ? {} : { access }),
        ...takenAt(at),
      };
      const routes = update.routes ?? distribution.routes ?? {};
      refuseBadRoutes(distribution, routes);
      const current = currentOf(distribution);
      // Routes are live at once.
      const isOnlyRoutes =
        update.routes !== undefined &&
        update.origin === undefined &&
        update.redirects === undefined &&
        update.access === undefined &&
        isDeepStrictEqual(
          [aliases, certificateId, enabled],
          [current.aliases, current.certificateId, current.enabled],
        );
      const updated: StoredDistribution = {
        ...distribution,
        routes,
        etag: `E${randomText(UPPER_CASE, 13)}`,
        revisions: isOnlyRoutes ? distribution.revisions : [...servedSince(distribution, at), revision],
      };
      store.put(updated);
      unindex(distribution);
      index(updated);
      return view(updated);
    },

    delete(accountId, id, etag) {
      const distribution = store.own(accountId, id);
      if (distribution === undefined) return "deleted";
      if (etag !== distribution.etag) {
        throw new Refusal("retryable", "STALE_ETAG", "The distribution has changed since it was read.");
      }
      const current = currentOf(distribution);
      if (current.enabled || now() < current.liveAt) return "not-ready";
      store.delete(distribution);
      unindex(distribution);
      for (const listener of listeners) listener();
      return "deleted";
    },

    list: (accountId) => store.list(accountId),
    domainNames: () => [...store.values()].map(({ domainName }) => domainName),
    onChange: (listener) => void listeners.push(listener),
    view,

    isCertificateInUse(certificateId) {
      const at = now();
      return having(certificateId).some((distribution) =>
        servedSince(distribution, at).some((revision) => revision.certificateId === certificateId),
      );
    },

    hasDomainName: (name) => having(name).some(({ domainName }) => domainName === name),

    // The other keys are ids of certificates.
    names: () => {
      const names = [...idsByKey.keys()].filter((key) => !key.includes(":"));
      if (routedIds.size === 0) return names;
      // A name with a route may be an alias too.
      return [...new Set([...names, ...[...routedIds].flatMap((id) => namesOfRoutes(store.get(id)))])];
    },
    findLive,
    gateOf,
  };
}

function currentOf(distribution: StoredDistribution): Revision {
  const current = distribution.revisions.at(-1);
  if (current === undefined) throw new Error(`Distribution ${distribution.id} has no revision.`);
  return current;
}

/** Where a distribution sends requests for a name below its wildcard; null if it has no route for the name. */
export function routeOf({ routes }: StoredDistribution, hostName: string): Route | null {
  const label = labelOf(hostName);
  return routes !== undefined && Object.hasOwn(routes, label) ? (routes[label] ?? null) : null;
}

/** The first label of a name. */
export function labelOf(hostName: string): string {
  return hostName.split(".", 1)[0] ?? "";
}

function namesOfRoutes(distribution: StoredDistribution | undefined): readonly string[] {
  if (distribution === undefined) return [];
  const wildcards = new Set(
    distribution.revisions.flatMap(({ aliases }) => aliases.filter((alias) => alias.startsWith("*."))),
  );
  const labels = Object.keys(distribution.routes ?? {});
  return [...wildcards].flatMap((wildcard) => labels.map((label) => `${label}${wildcard.slice(1)}`));
}

/** The origin of a revision of a distribution; by default of the current one. */
export function originOf(distribution: StoredDistribution, revision = currentOf(distribution)): Origin {
  return revision.origin ?? distribution.origin;
}

/** The live revision, and the revisions that go live later. */
function servedSince(distribution: StoredDistribution, at: number): readonly Revision[] {
  const live = distribution.revisions.findLastIndex((revision) => revision.liveAt <= at);
  return distribution.revisions.slice(Math.max(0, live));
}

function refuseBadAliases(aliases: readonly string[]): void {
  if (aliases.length > MAX_ALIASES) {
    throw new Refusal("limit", "TOO_MANY_ALIASES", `A distribution may have at most ${MAX_ALIASES} aliases.`);
  }
  if (!aliases.every(isHostName)) {
    throw invalid("Every alias must be a lower-case host name.");
  }
}

function refuseBadRedirects(redirects: Redirects): void {
  if (Buffer.byteLength(writeRedirects(redirects)) > REDIRECTS_MAX_BYTES)
    throw new Refusal(
      "limit",
      "TOO_MANY_REDIRECTS",
      "The redirects of a distribution have at most 9,000 bytes.",
    );
}

function refuseBadRoutes({ origin }: StoredDistribution, routes: Routes): void {
  const labels = Object.keys(routes);
  if (labels.length > 0 && origin.kind !== "previews")
    throw invalid("Only a distribution with the origin previews has routes.");
  if (labels.length > MAX_ROUTES) throw invalid(`A distribution has at most ${MAX_ROUTES} routes.`);
  if (!labels.every((label) => isHostName(`${label}.test`))) throw invalid("Every route needs a label.");
}

const UPPER_CASE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER_CASE = "abcdefghijklmnopqrstuvwxyz0123456789";

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

function keysOf({ domainName, revisions }: StoredDistribution): ReadonlySet<string> {
  return new Set([
    domainName,
    ...revisions.flatMap(({ aliases, certificateId }) => [
      ...aliases,
      ...(certificateId === null ? [] : [certificateId]),
    ]),
  ]);
}
