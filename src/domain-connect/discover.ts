/**
 * Whether the provider of a zone takes part in Domain Connect, and knows our template. The zone's TXT record can name
 * any host. So the host is asked through the guard of `egress`, with small limits of time and size, and its answer is
 * checked.
 */
import { LRUCache } from "lru-cache";
import { cutText } from "../lib/cut-text.ts";
import type { Dns } from "../dns/dns.ts";
import { isLoopback } from "../egress/address-rules.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { SafeFetch } from "../egress/safe-fetch.ts";
import { SERVICE_IDS, type TemplateKind } from "./template.ts";

const MAX_BYTES = 65_536;
/** Thousands of domains may be in one zone, and thousands of zones at one provider. */
const REMEMBERED_MS = 10 * 60_000;
const MOST_REMEMBERED = 1_000;
const MOST_NAME_LENGTH = 100;

/** The offer of a zone's provider, as its settings say. The operator of the zone controls its content. */
export type DomainConnectOffer = {
  /** The provider's name for people. */
  readonly providerName: string;
  /** Where its owners agree, without a trailing slash; null if it does not know our template. */
  readonly applyAt: string | null;
  /** Where the zone's records are set by hand; null if it does not say so. */
  readonly panelUrl: string | null;
};

type Settings = Omit<DomainConnectOffer, "applyAt"> & {
  readonly urlAPI: string;
  readonly urlSyncUX: string | null;
};

/** Whether a host failed to answer, which says nothing, or answered what cannot be used. */
const SAYS_NOTHING: ReadonlySet<EgressError["fault"]> = new Set([
  "CONNECT_TIMEOUT",
  "ANSWER_TIMEOUT",
  "UNREACHABLE",
  "CLOSED",
]);

export type DiscoveryDeps = {
  readonly providerId: string;
  readonly dns: Pick<Dns, "findTexts">;
  readonly exchange: SafeFetch;
  /** Whether providers may be at this machine's loopback, over plain HTTP too, as the sandbox's is. */
  readonly allowsLoopback: boolean;
};

export function createDiscovery({ providerId, dns, exchange, allowsLoopback }: DiscoveryDeps) {
  const settingsOfZone = remember(findSettings);
  const knowsTemplate = remember(isThere);

  async function findSettings(zone: string, isFresh: boolean): Promise<Settings | null | undefined> {
    const texts = await dns.findTexts(`_domainconnect.${zone}`, { isFresh });
    if (texts === null) return undefined;
    const [text, ...others] = texts;
    const at = text === undefined || others.length > 0 ? null : addressOf(text, allowsLoopback);
    if (at === null) return null;
    const answer = await ask(`${at}/v2/${zone}/settings`);
    return typeof answer === "string" ? readSettings(answer, zone, allowsLoopback) : answer;
  }

  async function isThere(url: string): Promise<boolean | undefined> {
    const answer = await ask(url);
    return answer === undefined ? undefined : answer !== null;
  }

  /** The text of a 2xx; null for any other answer; undefined if none came. */
  async function ask(url: string): Promise<string | null | undefined> {
    try {
      const { status, body } = await exchange.send({
        method: "GET",
        url: new URL(url),
        headers: { accept: "application/json" },
        bodyLimit: { bytesOf: () => MAX_BYTES, ifLarger: "refuse" },
      });
      if (status >= 500) return undefined;
      return status >= 200 && status < 300 ? body.toString("utf8") : null;
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return SAYS_NOTHING.has(error.fault) ? undefined : null;
    }
  }

  return async function find(
    zone: string,
    kind: TemplateKind,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<DomainConnectOffer | null | undefined> {
    const settings = await settingsOfZone(zone, isFresh);
    if (settings === undefined || settings === null) return settings;
    const { providerName, panelUrl, urlAPI, urlSyncUX } = settings;
    if (urlSyncUX === null) return { providerName, panelUrl, applyAt: null };
    const path = `/v2/domainTemplates/providers/${encodeURIComponent(providerId)}/services/${SERVICE_IDS[kind]}`;
    const isKnown = await knowsTemplate(`${urlAPI}${path}`, isFresh);
    if (isKnown === undefined) return undefined;
    return { providerName, panelUrl, applyAt: isKnown ? urlSyncUX : null };
  };
}

/**
 * The address that a zone's TXT record names: an authority, and perhaps a path; null if it names none. Exported for its
 * test.
 */
export function addressOf(text: string, allowsLoopback: boolean): string | null {
  if (!/^[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~/-]*)?$/i.test(text)) return null;
  if (!URL.canParse(`https://${text}`)) return null;
  const { hostname } = new URL(`https://${text}`);
  const isLocal = allowsLoopback && isThisMachine(hostname);
  return `${isLocal ? "http" : "https"}://${text.replace(/\/+$/, "")}`;
}

function readSettings(text: string, zone: string, allowsLoopback: boolean): Settings | null {
  const given = parseObject(text);
  if (given === null) return null;
  const urlAPI = urlIn(given["urlAPI"], allowsLoopback);
  const providerName = [given["providerDisplayName"], given["providerName"], given["providerId"]].find(
    (name): name is string => typeof name === "string" && name.trim() !== "",
  );
  if (urlAPI === null || providerName === undefined) return null;
  const panel = given["urlControlPanel"];
  return {
    // Neither control characters nor what turns the direction of writing.
    providerName: cutText(providerName.replace(/[\p{C}]/gu, ""), MOST_NAME_LENGTH),
    urlAPI,
    urlSyncUX: urlIn(given["urlSyncUX"], allowsLoopback),
    panelUrl:
      typeof panel === "string"
        ? urlIn(panel.replaceAll("%domain%", encodeURIComponent(zone)), allowsLoopback, true)
        : null,
  };
}

/** An address that a browser or Slipway may be led to; null for any other. */
function urlIn(given: unknown, allowsLoopback: boolean, mayHaveQuery = false): string | null {
  if (typeof given !== "string" || given.length > 1_000 || !URL.canParse(given)) return null;
  const url = new URL(given);
  const isLocal = allowsLoopback && url.protocol === "http:" && isThisMachine(url.hostname);
  if ((url.protocol !== "https:" && !isLocal) || url.username !== "" || url.password !== "") return null;
  if (!mayHaveQuery && (url.search !== "" || url.hash !== "")) return null;
  return url.href.replace(/\/+$/, "");
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || isLoopback(hostname);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Looks that run at the same time are one; what a look did not find out is not remembered. */
function remember<T>(look: (key: string, isFresh: boolean) => Promise<T | undefined>) {
  const known = new LRUCache<string, Promise<T | undefined>>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });
  return async (key: string, isFresh: boolean): Promise<T | undefined> => {
    const entry = known.get(key);
    if (!isFresh && entry !== undefined) return await entry;
    const found = look(key, isFresh);
    known.set(key, found);
    const forget = (): void => {
      if (known.get(key) === found) known.delete(key);
    };
    found.then((value) => void (value === undefined && forget()), forget);
    return await found;
  };
}
