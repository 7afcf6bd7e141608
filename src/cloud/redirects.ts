/** Redirects of a distribution: from each of some of its names to another of them. */
import { createHash } from "node:crypto";

export type Redirects = Readonly<Record<string, string>>;

/** How many bytes redirects may have as JSON: CloudFront takes functions of 10 KB, with their code. */
export const REDIRECTS_MAX_BYTES = 9_000;

/** The redirects as a text, always the same for the same ones. */
export function writeRedirects(redirects: Redirects): string {
  const entries = Object.entries(redirects).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
}

/** By which a distribution shows what redirects it has; null without any. */
export function redirectsKeyOf(redirects: Redirects): string | null {
  if (Object.keys(redirects).length === 0) return null;
  return createHash("sha256").update(writeRedirects(redirects)).digest("hex").slice(0, 32);
}
