import { type Static, Type } from "typebox";
import { CREDENTIAL_KINDS, ROLES, SCOPES } from "../../lib/actor.ts";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
} from "../../http/schemas.ts";
import {
  type ApiKey,
  type AuditDetails,
  type AuditEntry,
  type Caller,
  type Organization,
  type Retention,
  type ShownUser,
  SIGN_IN_KINDS,
  USER_KINDS,
} from "./organization.ts";

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
        "Who signs for it: the provider, or the workload's platform; null for a key.",
        "https://sso.acme.example",
      ),
    ),
    label: Nullable(
      Text(
        "What people call the provider; null for others, and for one that is configured no more.",
        "Acme SSO",
      ),
    ),
  },
  { title: "SignInMethod", description: "What lets a user in." },
);

export const UserSchema = Type.Object(
  {
    id: Id("user", "Id of the user."),
    kind: UserKindSchema,
    email: Nullable(
      Text(
        "Unique within the organization; null for a service account, and if the identity provider tells none.",
        "ada@acme.example",
      ),
    ),
    name: Text("Shown to people.", "Ada Lovelace"),
    role: RoleSchema,
    gitLogin: Nullable(Text("The user's login at the git provider.", "ada")),
    lastSeenAt: NullableInstant(
      "When a key, a session or a workload of the user last made a request, to about a minute; null if none did yet. If-Match is not compared with it.",
    ),
    signInMethods: Type.Array(SignInMethodSchema, {
      description: "What lets the user in: identity providers first, then keys, then workloads.",
    }),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "User", description: "A user of the organization." },
);

/** What people call identity providers, by their issuers. */
export type ProviderLabels = ReadonlyMap<string, string>;

export function viewUser(user: ShownUser, labels: ProviderLabels) {
  const { id, kind, email, name, role, gitLogin, lastSeenAt } = user;
  return {
    id,
    kind,
    email,
    name,
    role,
    gitLogin,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
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

export const ScopeSchema = Words(SCOPES, {
  title: "Scope",
  description:
    "What a key may be used for, if its user may do it. `read`: read what viewers read; every scope includes it. `deploy`: deployments. `domains`: custom domains. `variables`: variables. `admin`: all else, such as projects, cloud accounts, users, keys and webhooks.",
  examples: ["deploy"],
});

const API_KEY_FIELDS = {
  id: Id("key", "Id of the API key."),
  userId: Id("user", "The key's user."),
  createdBy: Nullable(
    Id("user", "Who created it, and so may know it; null if the operator or an earlier release did."),
  ),
  name: Text("What it is for.", "deploy from CI"),
  prefix: Text("The first characters of the key, to recognize it.", "slw_4dPq7RkT"),
  scopes: Nullable(
    Type.Array(ScopeSchema, {
      description: "What it may be used for; null for everything that its user may do.",
    }),
  ),
  projectIds: Nullable(
    Type.Array(Id("proj", "A project."), {
      description: "The projects that it is limited to; null for all.",
    }),
  ),
  expiresAt: NullableInstant("From when on it is refused; null for never.", "2027-02-20T00:00:00.000Z"),
  lastUsedAt: NullableInstant("When it was last used, to about a minute; null if it was not used yet."),
  createdAt: CreatedAt(),
};

export const ApiKeySchema = Type.Object(API_KEY_FIELDS, {
  title: "ApiKey",
  description: "An API key, without the key itself.",
});

export const NewApiKeySchema = Type.Object(
  {
    ...API_KEY_FIELDS,
    key: Text("The key. It is shown only once.", "slw_4dPq7RkT…"),
  },
  { title: "NewApiKey", description: "A new API key, with the key itself." },
);

export function viewApiKey(apiKey: ApiKey) {
  const { id, userId, createdBy, name, prefix, scopes, projectIds, expiresAt, lastUsedAt, createdAt } =
    apiKey;
  return {
    id,
    userId,
    createdBy,
    name,
    prefix,
    scopes: scopes === null ? null : [...scopes],
    projectIds: projectIds === null ? null : [...projectIds],
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

export const CallerSchema = Type.Object(
  {
    organization: Type.Object(
      {
        id: Id("org", "Id of the organization."),
        name: Text("Shown to people.", "Acme"),
      },
      {
        title: "CallerOrganization",
        description: "The organization that the caller belongs to. `GET /v1/organization` says more of it.",
      },
    ),
    user: UserSchema,
    apiKey: At(Nullable(ApiKeySchema), "The key of the request; null in a session, and of a workload."),
    credential: Type.Object(
      {
        kind: Words(CREDENTIAL_KINDS, {
          title: "CredentialKind",
          description: "What the request was authenticated by.",
          examples: ["api-key"],
        }),
        id: Id("key", "The id of the API key, of the session or of the workload's token."),
      },
      { title: "Credential", description: "What the request was authenticated by." },
    ),
    cloud: Words(["sandbox", "aws"], {
      title: "CloudName",
      description: "The cloud that this installation of Slipway deploys to.",
      examples: ["aws"],
    }),
  },
  { title: "Caller", description: "Who makes the request." },
);

export function viewCaller(
  { organization, user, apiKey, credential }: Caller,
  cloud: "sandbox" | "aws",
  labels: ProviderLabels,
) {
  const { id, name } = organization;
  return {
    organization: { id, name },
    user: viewUser(user, labels),
    apiKey: apiKey === null ? null : viewApiKey(apiKey),
    credential,
    cloud,
  };
}

const kept = (description: string, example: number) => Type.Integer({ description, examples: [example] });

const RetentionSchema = Type.Object(
  {
    auditEntryDays: Nullable(kept("Days for which audit entries are kept; null for ever.", 400)),
    variableVersionDays: Nullable(
      kept("Days for which replaced and deleted versions of variables are kept; null for ever.", 400),
    ),
    variableRunDays: kept("Days for which the results of storing variables in the account are kept.", 30),
    eventDays: kept("Days for which events are kept.", 30),
    webhookAttemptDays: kept("Days for which deliveries of webhooks and their attempts are kept.", 30),
    webhookBodyDays: kept("Days for which the bodies of the receivers' answers are kept.", 7),
    gitDeliveryDays: kept("Days for which deliveries of git hosts are shown.", 30),
    domainCountDays: kept("Days for which the daily counts of domains are kept.", 400),
    idempotencyHours: kept("Hours for which the first answer to an `Idempotency-Key` is repeated.", 24),
  },
  { title: "Retention", description: "For how long this installation keeps records." },
);

export const OrganizationSchema = Type.Object(
  {
    id: Id("org", "Id of the organization."),
    name: Text("Shown to people.", "Acme"),
    createdAt: CreatedAt(),
    retention: RetentionSchema,
  },
  {
    title: "Organization",
    description: "The owner of all resources. Other organizations do not see them.",
  },
);

export function viewOrganization({ id, name, createdAt }: Organization, retention: Retention) {
  return { id, name, createdAt: createdAt.toISOString(), retention: { ...retention } };
}

const WorkloadSchema = Type.Object(
  {
    trustId: Id("trust", "The trust that let it in."),
    name: Text("The name of the trust.", "deploy shop"),
    subject: Text("What its platform says it is (`sub`).", "repo:acme/shop:ref:refs/heads/main"),
    repository: Nullable(Text("Its repository, if its platform says it.", "acme/shop")),
    ref: Nullable(Text("Its branch or tag, if its platform says it.", "refs/heads/main")),
    runId: Nullable(Text("Its run or job, if its platform says it.", "6821944012")),
  },
  { title: "Workload", description: "A program that runs elsewhere, such as a CI job." },
);

function changedFields(description: string): object {
  return {
    type: "object",
    description,
    additionalProperties: { type: ["string", "null"] },
    examples: [{ role: "admin" }],
  };
}

export const AuditEntrySchema = Type.Object(
  {
    id: Id("audit", "Id of the entry."),
    at: Instant("When the change was made."),
    userId: Id(
      "user",
      "The user who made the change; or the git integration for a push, `operator` for the command line, and `slipway` for changes that Slipway detected.",
    ),
    apiKeyId: Id(
      "key",
      "What the request was authenticated by: an API key, a session or a workload's token; without a request, the same value as `userId`.",
    ),
    action: Text("The action, such as `domain.deleted`.", "user.updated"),
    resourceId: Id("user", "The resource that was changed."),
    requestId: Text(
      "The id of the request, as in its `X-Request-Id` and in the log.",
      "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
    ),
    sourceAddress: Nullable(
      Text(
        "The address that the request came from (behind trusted proxies, the client's own); null without a request.",
        "203.0.113.7",
      ),
    ),
    details: Type.Unsafe<AuditDetails | null>({
      type: ["object", "null"],
      title: "AuditDetails",
      description:
        "What changed: `names` of what was set, and fields with their values `before` and `after`; and the `workload` that changed it, if one did. Never contains a secret.",
      properties: {
        names: {
          type: "array",
          items: { type: "string" },
          description: "Names of what was set.",
          examples: [["DATABASE_URL"]],
        },
        before: changedFields("The changed fields, with their old values."),
        after: changedFields("The changed fields, or the fields of a new resource, with their new values."),
        workload: WorkloadSchema,
      },
      examples: [{ before: { role: "viewer" }, after: { role: "admin" } }],
    }),
  },
  { title: "AuditEntry", description: "One change that was made." },
);

export function viewAuditEntry(entry: AuditEntry) {
  return { ...entry, at: entry.at.toISOString() };
}
