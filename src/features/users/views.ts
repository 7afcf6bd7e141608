import { type Static, Type } from "typebox";
import { CreatedAt, Id, Nullable, NullableInstant, Text, UpdatedAt, Words } from "../../http/schemas.ts";
import { ROLES } from "../../lib/actor.ts";
import { type ShownUser, SIGN_IN_KINDS, USER_KINDS } from "./user.ts";

export const RoleSchema = Words(ROLES, {
  title: "Role",
  description:
    "`viewer` reads, `developer` also writes, `admin` also manages users, keys, cloud accounts and git integrations.",
  examples: ["developer"],
});

export const UserKindSchema = Words(USER_KINDS, {
  title: "UserKind",
  description: "A `person`, or a program: a `service` account, which does not sign in.",
  examples: ["person"],
});

const SignInMethodSchema = Type.Object(
  {
    kind: Words(SIGN_IN_KINDS, {
      title: "SignInKind",
      description:
        "An account at an `identity-provider` that was used here, an `api-key` that has not expired, or a trusted `workload`.",
      examples: ["identity-provider"],
    }),
    issuer: Nullable(
      Text(
        "The issuer: the provider, or the workload's platform; null for a key.",
        "https://sso.acme.example",
      ),
    ),
    label: Nullable(
      Text(
        "The name of the provider that people know; null for other methods, and for a provider that is no longer configured.",
        "Acme SSO",
      ),
    ),
  },
  { title: "SignInMethod", description: "A way in which a user signs in or is authenticated." },
);

export const UserSchema = Type.Object(
  {
    id: Id("user", "Id of the user."),
    kind: UserKindSchema,
    email: Nullable(
      Text(
        "Unique within the organization; null for a service account, and if the identity provider gives none.",
        "ada@acme.example",
      ),
    ),
    name: Text("Display name.", "Ada Lovelace"),
    role: RoleSchema,
    gitLogin: Nullable(Text("The user's login at the git provider.", "ada")),
    lastSeenAt: NullableInstant(
      "When a key, a session or a workload of the user last made a request, to about a minute; null if none did yet. If-Match is not compared with it.",
    ),
    signInMethods: Type.Array(SignInMethodSchema, {
      description:
        "How the user signs in or is authenticated: identity providers first, then keys, then workloads.",
    }),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "User", description: "A user of the organization." },
);

/** What people call identity providers, by their issuers. */
export type ProviderLabels = ReadonlyMap<string, string>;

export function viewUser(user: ShownUser, labels: ProviderLabels) {
  return {
    ...user,
    lastSeenAt: user.lastSeenAt?.toISOString() ?? null,
    signInMethods: viewSignInMethods(user, labels),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

function viewSignInMethods(
  { providerIssuers, hasKey, workloadIssuers }: ShownUser,
  labels: ProviderLabels,
): Static<typeof SignInMethodSchema>[] {
  return [
    ...providerIssuers.map((issuer) => ({
      kind: "identity-provider" as const,
      issuer,
      label: labels.get(issuer) ?? null,
    })),
    ...(hasKey ? [{ kind: "api-key" as const, issuer: null, label: null }] : []),
    ...workloadIssuers.map((issuer) => ({ kind: "workload" as const, issuer, label: null })),
  ];
}
