import { createHash } from "node:crypto";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { SiteDescription, Snapshot } from "../../../edge/src/remote/snapshot.ts";
import type { Site } from "../../../edge/src/requests.ts";
import { type Distributions, originOf } from "./distributions.ts";

/**
 * What edges on other machines serve: each name of a live distribution, with its certificate.
 * @param findSite as for the edge on this machine
 * @param ownNames names of the server itself, which only this machine serves
 */
export function describeSites(
  distributions: Pick<Distributions, "listLive">,
  findSite: (name: string) => Omit<Site, "serve"> | null,
  ownNames: readonly string[] = [],
): Pick<Snapshot, "sites" | "certificates"> {
  const pairs: Record<string, KeyPair> = {};
  const live = distributions.listLive().map(({ name, distribution, revision }) => ({
    name,
    origin: originOf(distribution, revision),
  }));
  const own = ownNames.map((name) => ({ name, origin: { kind: "none" } as const }));
  const sites = [...own, ...live].flatMap(({ name, origin }): SiteDescription[] => {
    const site = findSite(name);
    if (site === null) return [];
    const { id, certificate: pair, redirectTo } = site;
    const certificate = pair === null ? null : digestOf(pair.certificatePem);
    if (pair !== null && certificate !== null) pairs[certificate] = pair;
    return [{ name, id, certificate, redirectTo, origin: origin.kind === "host" ? origin.hostname : null }];
  });
  return { sites, certificates: pairs };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
