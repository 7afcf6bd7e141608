/** Routes of a distribution: which service answers for a name below its wildcard, by the first label of the name. */
import { createHash } from "node:crypto";

/** A service that is released, or the host of a service that runs elsewhere. */
export type Route = { readonly serviceId: string } | { readonly hostname: string };

export type Routes = Readonly<Record<string, Route>>;

/** By which a distribution shows what routes it has; null without any. */
export function routesKeyOf(routes: Routes): string | null {
  const entries = Object.entries(routes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return null;
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, 32);
}
