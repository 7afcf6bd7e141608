import { createHash } from "node:crypto";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import type { SiteDescription, Snapshot } from "../../../edge/src/remote/snapshot.ts";
import type { Certificates } from "./certificates.ts";
import { type Distributions, originOf } from "./distributions.ts";

/** What edges on other machines serve: each name of a live distribution, with its certificate. */
export function describeSites(parts: {
  readonly distributions: Distributions;
  readonly certificates: Pick<Certificates, "keyPairFor">;
  /** For a name of the provider's. */
  readonly ownPairFor: (hostName: string) => KeyPair | null;
}): Pick<Snapshot, "sites" | "certificates"> {
  const { distributions, certificates, ownPairFor } = parts;
  const pairs: Record<string, KeyPair> = {};
  const sites = [...distributions.liveNames()].flatMap((name): readonly SiteDescription[] => {
    const live = distributions.findLive(name);
    if (live === null) return [];
    const { distribution, revision } = live;
    const { certificateId, redirects = {} } = revision;
    const pair =
      name === distribution.domainName
        ? ownPairFor(name)
        : certificates.keyPairFor(certificateId ?? "", name);
    const certificate = pair === null ? null : digestOf(pair.certificatePem);
    if (pair !== null && certificate !== null) pairs[certificate] = pair;
    const origin = originOf(distribution, revision);
    return [
      {
        name,
        id: distribution.id,
        certificate,
        redirectTo: (Object.hasOwn(redirects, name) ? redirects[name] : undefined) ?? null,
        origin: origin.kind === "host" ? origin.hostname : null,
      },
    ];
  });
  return { sites, certificates: pairs };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
