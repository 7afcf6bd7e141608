import { findFirstOrganization } from "../../features/organizations/queries.ts";
import type { Http } from "../../http/http.ts";
import { shareWork } from "../../http/limits/shared-work.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import type { Database } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { HEALTH_ERRORS } from "./errors.ts";
import { type Health, HealthSchema, viewHealth } from "./health.ts";

export const INSTALLATION: Tag = {
  name: "Installation",
  description: "Endpoints for the operator of the installation.",
};

/** @returns what throws `OPERATOR_ONLY` unless an actor is of the installation's first organization */
export function makeRequireOperator(db: Database): (actor: Actor) => Promise<void> {
  return async (actor) => {
    if ((await findFirstOrganization(db)) !== actor.organizationId)
      throw new AppError(HEALTH_ERRORS.OPERATOR_ONLY, HEALTH_ERRORS.OPERATOR_ONLY.cause);
  };
}

export function registerHealthRoutes(
  http: Http,
  {
    check,
    requireOperator,
  }: {
    readonly check: () => Promise<Health>;
    readonly requireOperator: (actor: Actor) => Promise<void>;
  },
): void {
  // The checks are the same for all who ask at one time.
  const checkOnce = shareWork(check);
  http.read({
    path: "/v1/admin/health",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: INSTALLATION,
    summary: "Check the health of the installation",
    description:
      "Runs the checks of `slipway doctor`. The response is 200 even if checks fail. Only for admins of the installation's first organization, which is its operator's.",
    response: HealthSchema,
    handle: async ({ actor }) => {
      await requireOperator(actor);
      return viewHealth(await checkOnce());
    },
  });
}
