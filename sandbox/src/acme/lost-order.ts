import { AcmeError } from "./acme-error.ts";
import type { AcmeClient } from "./client.ts";
import type { Names } from "./names.ts";

const MAX_READ = 200;
/** Orders can still be used in these states. */
const USABLE: ReadonlySet<string> = new Set(["pending", "ready"]);

/**
 * The latest usable order for a name that the account has, if the CA lists the account's orders (RFC 8555, 7.1.2.1).
 * Let's Encrypt does not, but gives the same pending order for the same request.
 */
export async function findLostOrder(client: AcmeClient, name: string, names: Names): Promise<string | null> {
  const known = new Set([...names.values()].flatMap(({ order }) => order?.url ?? []));
  const urls = (await client.listOrders()) ?? [];
  const latest = urls
    .filter((url) => !known.has(url))
    .slice(-MAX_READ)
    .toReversed();
  for (const url of latest) {
    try {
      const order = await client.order(name, url);
      if (order.name === name && USABLE.has(order.status)) return url;
    } catch (error) {
      if (!(error instanceof AcmeError) || error.scope === "directory") throw error;
    }
  }
  return null;
}
