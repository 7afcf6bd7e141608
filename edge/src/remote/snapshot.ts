/** What the control plane gives to edges on other machines. */
import type { KeyPair } from "../key-pair.ts";
import type { Proxy } from "../origin-proxy.ts";
import type { Site } from "../requests.ts";

export type SiteDescription = {
  /** A host name, or `*.` and a host name. */
  readonly name: string;
  readonly id: string;
  /** The key of its certificate in the snapshot; null: there is none yet. */
  readonly certificate: string | null;
  readonly redirectTo: string | null;
  /** The host to which any edge forwards; null: only the main machine serves it. */
  readonly origin: string | null;
};

export type Snapshot = {
  readonly sites: readonly SiteDescription[];
  /** By a key that changes with the certificate. */
  readonly certificates: Readonly<Record<string, KeyPair>>;
  /** The port for HTTPS of the edge on the main machine. */
  readonly mainPort: number;
};

/** Whether an edge serves it without the main machine. */
export function isServedAlone({ redirectTo, origin }: SiteDescription): boolean {
  return redirectTo !== null || origin !== null;
}

/** The sites of a snapshot. @param main the name or address of the main machine */
export function createSnapshotSites(
  snapshot: Snapshot,
  { proxy, main, token }: { readonly proxy: Proxy; readonly main: string; readonly token: string },
): (hostName: string) => Site | null {
  const sites = new Map(snapshot.sites.map((one) => [one.name, toSite(one)]));

  function toSite(one: SiteDescription): Site {
    const { origin } = one;
    const certificate = one.certificate === null ? null : (snapshot.certificates[one.certificate] ?? null);
    return {
      id: one.id,
      certificate,
      redirectTo: one.redirectTo,
      serve: (request, response, visitor) =>
        origin === null
          ? proxy.forwardToEdge(
              {
                host: main,
                port: snapshot.mainPort,
                certificatePem: certificate?.certificatePem ?? "",
                token,
              },
              visitor,
              request,
              response,
            )
          : proxy.forward(origin, () => false, visitor, request, response),
    };
  }

  return (hostName) => sites.get(hostName) ?? sites.get(hostName.replace(/^[^.]+/, "*")) ?? null;
}
