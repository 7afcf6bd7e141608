import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body, Nullable, ONE_LINE_TEXT } from "../../http/schemas.ts";
import { ORGANIZATION_TAG } from "../organizations/routes.ts";
import { LOCKED } from "../users/commands.ts";
import type { Brand } from "./brand.ts";
import { updateBranding } from "./commands.ts";
import { findBranding } from "./queries.ts";
import { LOGO_BYTES_MAX } from "./read-logo.ts";
import { BrandingSchema, viewBranding } from "./views.ts";

const NAME_LENGTH = 60;
/** Base64 has four characters for three bytes. */
const LOGO_LENGTH = Math.ceil(LOGO_BYTES_MAX / 3) * 4;

export function registerBrandingRoutes(
  http: Http,
  { brand, publicUrl }: { readonly brand: Brand; readonly publicUrl: string },
): void {
  http.read({
    path: "/v1/organization/branding",
    role: "viewer",
    scope: "read",
    reach: "organization",
    tag: ORGANIZATION_TAG,
    operationId: "getBranding",
    summary: "Get the branding of the share links",
    description:
      "Returns what the organization has set, and in `appearance` how the pages of its share links look.",
    response: BrandingSchema,
    watch: ({ actor }) => [actor.organizationId],
    handle: async ({ sql, actor }) =>
      viewBranding(brand, await findBranding(sql, actor.organizationId), publicUrl),
  });

  http.write({
    method: "PATCH",
    path: "/v1/organization/branding",
    precondition: LOCKED,
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: ORGANIZATION_TAG,
    operationId: "updateBranding",
    summary: "Change the branding of the share links",
    description:
      "Pages of share links show it from then on. A field that is left out stays as it is; null restores the installation's setting. Text on the colour is white or black, so every colour can be read.",
    body: Body({
      name: Type.Optional(
        Nullable(
          Type.String({
            ...ONE_LINE_TEXT,
            maxLength: NAME_LENGTH,
            description: "The name at the top of the pages.",
            examples: ["Acme Sites"],
          }),
        ),
      ),
      accentColor: Type.Optional(
        Nullable(
          Type.String({
            pattern: "^#[0-9a-fA-F]{6}$",
            description: "The colour of the top, the buttons and the links, as `#rrggbb`.",
            examples: ["#0a5c36"],
          }),
        ),
      ),
      logo: Type.Optional(
        Nullable(
          Type.String({
            pattern: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            minLength: 4,
            maxLength: LOGO_LENGTH,
            description:
              "The bytes of a PNG, JPEG or WebP image, in base64: at most 64 KiB, and 1,024 pixels on each side.",
            examples: [
              "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
            ],
          }),
        ),
      ),
    }),
    responses: { 200: BrandingSchema },
    commit: async ({ tx, actor, body }) => ({
      status: 200,
      body: viewBranding(brand, await updateBranding(tx, actor, body), publicUrl),
    }),
  });
}
