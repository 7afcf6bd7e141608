/**
 * What the control plane gives to edges on other machines, in parts: a name is always in the same part, and a change of a
 * name changes only its part. So a change costs the same with ten names as with 100,000. Pure.
 */
import { createHash } from "node:crypto";
import type { KeyPair } from "../key-pair.ts";

export type SiteDescription = {
  /** A host name, or `*.` and a host name. */
  readonly name: string;
  readonly id: string;
  /** Changes with its certificate; null: there is none yet. */
  readonly certificate: string | null;
  readonly redirectTo: string | null;
  /** The host to which any edge forwards. */
  readonly origin: string | null;
  /** The files of a release that any edge may copy and serve (`StaticFiles.key`). */
  readonly files: string | null;
  /** Whether no search engine may list it. */
  readonly isUnlisted?: boolean;
};

/** The names of a part, with their certificates. */
export type Part = {
  readonly digest: string;
  readonly sites: readonly SiteDescription[];
  /** By `SiteDescription.certificate`. */
  readonly certificates: Readonly<Record<string, PackedPair>>;
  /** Certificates of authorities, which many names share. */
  readonly chains: readonly string[];
};

/** The certificate itself, which of the chains follows it, and the private key. */
type PackedPair = readonly [leafPem: string, chain: number, privateKeyPem: string];

/** What an edge compares with its own parts. */
export type Snapshot = {
  /** The digests of the parts that have names, by number. */
  readonly parts: Readonly<Record<string, string>>;
  /** The port for HTTPS of the edge on the main machine. */
  readonly mainPort: number;
};

const PARTS = 1_024;
const END_OF_LEAF = "-----END CERTIFICATE-----";

/** From 0. FNV-1a (RFC draft-eastlake-fnv), of 32 bits. */
export function partOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTS;
}

/** The same for the same sites in any order. */
export function digestOfSites(sites: readonly SiteDescription[]): string {
  const hash = createHash("sha256");
  for (const { name, id, certificate, redirectTo, origin, files, isUnlisted } of sorted(sites))
    hash.update(
      `${JSON.stringify([name, id, certificate, redirectTo, origin, files, ...(isUnlisted === true ? [true] : [])])}\n`,
    );
  return hash.digest("base64url");
}

export function digestOfPair({ certificatePem }: KeyPair): string {
  return createHash("sha256").update(certificatePem).digest("base64url");
}

/** @param pairs by `SiteDescription.certificate` */
export function packPart(sites: readonly SiteDescription[], pairs: ReadonlyMap<string, KeyPair>): Part {
  const chains: string[] = [];
  const certificates: Record<string, PackedPair> = {};
  for (const [digest, { certificatePem, privateKeyPem }] of pairs) {
    const end = certificatePem.indexOf(END_OF_LEAF) + END_OF_LEAF.length;
    const chain = certificatePem.slice(end);
    const known = chains.indexOf(chain);
    if (known === -1) chains.push(chain);
    const at = known === -1 ? chains.length - 1 : known;
    certificates[digest] = [certificatePem.slice(0, end), at, privateKeyPem];
  }
  return { digest: digestOfSites(sites), sites: sorted(sites), certificates, chains };
}

/** Null if the site has no certificate. */
export function unpackPair(part: Part, { certificate }: SiteDescription): KeyPair | null {
  const packed = certificate === null ? undefined : part.certificates[certificate];
  if (packed === undefined) return null;
  const [leaf, chain, privateKeyPem] = packed;
  return { certificatePem: `${leaf}${part.chains[chain] ?? ""}`, privateKeyPem };
}

function sorted(sites: readonly SiteDescription[]): readonly SiteDescription[] {
  return sites.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
