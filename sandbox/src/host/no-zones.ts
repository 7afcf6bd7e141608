import type { Zones } from "../dns/zones.ts";
import { Refusal } from "../refusal.ts";

/** An own server has no DNS zones of customers: none is found, and none may be changed. */
export const NO_ZONES: Pick<Zones, "find" | "look" | "change"> = {
  find: () => ({ zones: [] }),
  look: refuse,
  change: refuse,
};

function refuse(): never {
  throw new Refusal("denied", "ACCESS_DENIED", "This server has no DNS zones.");
}
