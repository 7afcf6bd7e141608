import { Type } from "typebox";
import { Nullable, Text, Words } from "../../http/schemas.ts";
import { ROLES } from "../../lib/actor.ts";
import type { Provider } from "../../oidc/provider.ts";

const NAME = Text("Its name in URLs, such as `/auth/oidc/corp/start`.", "corp");
const LABEL = Text("Display name.", "Acme SSO");

export const SignInProvidersSchema = Type.Object(
  {
    providers: Type.Array(
      Type.Object(
        {
          name: NAME,
          label: LABEL,
          isReachable: Type.Boolean({
            description: "Whether it answered the last request of Slipway.",
            examples: [true],
          }),
          startUrl: Text("Where a sign-in begins; takes `?returnTo=/path`.", "/auth/oidc/corp/start"),
          signOutUrl: Nullable(
            Text(
              "Where to send the browser after its session has ended, to sign out there too; null if the provider has no such address.",
              "https://sso.acme.example/logout?client_id=slipway",
            ),
          ),
        },
        { title: "SignInProvider", description: "An identity provider to sign in at." },
      ),
      { description: "In the order of their names." },
    ),
  },
  { title: "SignInProviders", description: "The identity providers of this installation." },
);

export function viewProvider(provider: Provider, isReachable: boolean) {
  const { name, label } = provider.settings;
  return {
    name,
    label,
    isReachable,
    startUrl: `/auth/oidc/${name}/start`,
    signOutUrl: provider.signOutUrl(),
  };
}

export const OidcSettingsSchema = Type.Object(
  {
    providers: Type.Array(
      Type.Object(
        {
          name: NAME,
          label: LABEL,
          issuer: Text("The provider's issuer.", "https://sso.acme.example"),
          clientId: Text("Slipway's client id at the provider.", "slipway"),
          callbackUrl: Text(
            "The redirect URI to allow at the provider.",
            "https://slipway.example/auth/oidc/corp/callback",
          ),
          scopes: Text("The scopes that Slipway requests.", "openid profile email groups"),
          groupsClaim: Text("The claim that has the groups, or the path to it.", "groups"),
          linksByEmail: Type.Boolean({
            description: "Whether a first sign-in is linked to the user with the same verified address.",
            examples: [false],
          }),
          rules: Type.Array(
            Type.Object(
              {
                group: Text("The group; `*` for everyone.", "platform"),
                role: Words(ROLES, {
                  title: "GroupRole",
                  description: "The role of the group.",
                  examples: ["admin"],
                }),
                organizationId: Nullable(
                  Text(
                    "The organization in which it has the role; null for the provider's organization.",
                    "org_01kahxq2s5f3v9p6w8b4n7d0ym",
                  ),
                ),
              },
              { title: "GroupRule", description: "The role that a group has." },
            ),
            { description: "The rules, in their order." },
          ),
          problem: Nullable(
            Text(
              "Why it cannot be used now, or what was missing at its last sign-in; null if nothing is wrong.",
              null,
            ),
          ),
        },
        { title: "OidcProvider", description: "An identity provider, as it is configured." },
      ),
      { description: "In the order of their names." },
    ),
  },
  {
    title: "OidcSettings",
    description: "The identity providers of this installation, and whether they work.",
  },
);

export function viewSettings({ settings, callbackUrl }: Provider, problem: string | null) {
  const { name, label, issuer, clientId, scopes, groupsClaim, linksByEmail, rules } = settings;
  const shown = { name, label, issuer, clientId, callbackUrl, scopes, groupsClaim, linksByEmail };
  return { ...shown, rules: rules.map((rule) => ({ ...rule })), problem };
}
