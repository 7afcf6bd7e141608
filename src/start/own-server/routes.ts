import { Type } from "typebox";
import { OwnServerSchema, type OwnServerState } from "../../../sandbox/src/host/server-state.ts";
import type { Http } from "../../http/http.ts";
import { shareWork } from "../../http/limits/shared-work.ts";
import { Nullable } from "../../http/schemas.ts";
import type { Actor } from "../../lib/actor.ts";
import { INSTALLATION } from "../health/routes.ts";

const Answer = Type.Object(
  { server: Nullable(OwnServerSchema) },
  {
    title: "OwnServerAnswer",
    description: "`server` is null if Slipway does not run on an own server (`SLIPWAY_CLOUD=host`).",
  },
);

/** @param read null with another cloud */
export function registerOwnServerRoutes(
  http: Http,
  {
    read,
    requireOperator,
  }: {
    readonly read: (() => Promise<OwnServerState>) | null;
    readonly requireOperator: (actor: Actor) => Promise<void>;
  },
): void {
  // It has names of all organizations and tries ports, so it is only for the operator, and one run is for all callers.
  const readOnce = read === null ? null : shareWork(read);
  http.read({
    path: "/v1/admin/own-server",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: INSTALLATION,
    summary: "Get the state of the own server",
    description:
      "Returns edges, CAs, orders and certificates of an own server, of all organizations. Tries the ports of the edges and the zone of challenges. Only for admins of the installation's first organization, which is its operator's.",
    response: Answer,
    handle: async ({ actor }) => {
      await requireOperator(actor);
      return { server: readOnce === null ? null : await readOnce() };
    },
  });
}
