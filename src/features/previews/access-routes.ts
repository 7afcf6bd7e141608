import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { BYPASS_HEADER, COOKIE_SECONDS } from "../../lib/preview-gate.ts";
import { type AccessDeps, openGate, prepareBypass, setBypass } from "./preview-access.ts";
import { PREVIEWS } from "./routes.ts";
import { BypassSchema, GateSchema } from "./views.ts";

export function registerPreviewAccessRoutes(
  http: Http,
  deps: AccessDeps & {
    readonly jobs: Jobs;
    readonly clock: Clock;
    /** Whether previews are also at `NAME.localhost`. */
    readonly isLocal: boolean;
  },
): void {
  http.write({
    method: "POST",
    path: "/v1/environments/:environmentId/preview-bypass",
    role: "developer",
    scope: "deploy",
    tag: PREVIEWS,
    operationId: "createPreviewBypass",
    sdk: "previews.createBypass",
    summary: "Create a bypass secret for the previews of a template",
    description: `Tests open protected previews with it, in the header \`${BYPASS_HEADER}\`. The secret is shown only once, and Slipway keeps only its digest. A new secret replaces the previous one.`,
    responses: { 201: BypassSchema },
    prepare: ({ actor, params }) => prepareBypass(deps, actor, params.environmentId),
    commit: async ({ tx, actor, params, prepared: secret }) => {
      await setBypass(tx, deps, actor, params.environmentId, secret);
      return {
        status: 201,
        location: `/v1/environments/${params.environmentId}`,
        body: { header: BYPASS_HEADER, secret },
      };
    },
  });

  http.read({
    path: "/v1/previews/entry",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag: PREVIEWS,
    operationId: "openPreview",
    sdk: "previews.open",
    summary: "Get the address that lets a browser into a preview",
    description: `For the console's page to which protected previews send browsers. The address is valid for one minute, in the browser with this state, and gives that browser access for ${COOKIE_SECONDS / 3_600} hours.`,
    query: Body({
      url: Type.String({
        maxLength: 16_000,
        description: "The address of the preview that the browser asked for.",
        examples: ["https://d111111abcdef8.cloudfront.net/cart"],
      }),
      state: Type.String({
        pattern: "^[A-Za-z0-9_-]{22}$",
        description: "What the preview gave the browser.",
        examples: ["abcdefghijklmnopqrstuv"],
      }),
    }),
    response: GateSchema,
    handle: async ({ actor, query }) => ({
      url: await openGate(deps, actor, { asked: query.url, state: query.state, isLocal: deps.isLocal }),
    }),
  });
}
