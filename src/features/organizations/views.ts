import { type Static, Type } from "typebox";
import { CLOUD_KINDS, type CloudKind } from "../../cloud/cloud.ts";
import { At, CreatedAt, Id, Nullable, Text, Words } from "../../http/schemas.ts";
import { type Needs, type Place, refusalOf, roleIn } from "../../lib/access.ts";
import { type Actor, CREDENTIAL_KINDS, ROLES, SCOPES } from "../../lib/actor.ts";
import { ApiKeySchema, ScopeSchema, viewApiKey } from "../api-keys/views.ts";
import type { User } from "../users/user.ts";
import { type ProviderLabels, RoleSchema, UserSchema, viewUser } from "../users/views.ts";
import type { Caller, Organization } from "./organization.ts";

const REFUSED_BY = ["role", "scope", "projects", "protection"] as const;

const PermissionSchema = Type.Object(
  {
    allowed: Type.Boolean({ description: "Whether the caller may do it.", examples: [false] }),
    refusedBy: Nullable(
      Words(REFUSED_BY, {
        title: "RefusedBy",
        description:
          "The reason: the role, the key's scopes, the key's projects, or the protection of the environment; null if it is allowed.",
        examples: ["protection"],
      }),
    ),
    neededRole: Nullable(
      Words(ROLES, {
        title: "NeededRole",
        description: "The role that is required, if the role or the protection refuses the operation.",
        examples: ["admin"],
      }),
    ),
    neededScope: Nullable(
      Words(SCOPES, {
        title: "NeededScope",
        description: "The scope that is required, if the scopes refuse the operation.",
        examples: ["deploy"],
      }),
    ),
  },
  { title: "Permission", description: "Whether the caller may call an operation." },
);

export const PermissionsSchema = Type.Object(
  {
    role: RoleSchema,
    scopes: Nullable(Type.Array(ScopeSchema, { description: "The scopes of the credential; null for all." })),
    projectId: Nullable(Id("proj", "The project that they are about; null for the organization.")),
    environmentId: Nullable(
      Id("env", "The environment that they are about; null for the project or the organization."),
    ),
    operations: Type.Unsafe<Readonly<Record<string, ReturnType<typeof viewPermission>>>>({
      type: "object",
      description: "Each operation of this document, by its `operationId`.",
      additionalProperties: PermissionSchema,
      examples: [
        {
          createDeployment: {
            allowed: false,
            refusedBy: "protection",
            neededRole: "admin",
            neededScope: null,
          },
        },
      ],
    }),
    admins: Type.Array(
      Type.Object(
        { id: Id("user", "Id of the user."), name: Text("The user's name.", "Ada Lovelace") },
        { title: "Admin", description: "An admin of the organization." },
      ),
      { description: "Admins whom the caller can ask, at most 10." },
    ),
  },
  {
    title: "Permissions",
    description:
      "The operations that the caller may call in the organization, or in the project or environment of the query. Slipway checks each request by the same rules.",
  },
);

/** @param place that the caller sees; null for the organization */
export function viewPermissions(
  actor: Actor,
  operations: ReadonlyMap<string, Needs>,
  place: Place | null,
  admins: readonly User[],
) {
  const { scopes } = actor.access;
  const entries = [...operations].map(([operation, needs]) => [
    operation,
    viewPermission(actor, needs, place),
  ]);
  return {
    role: (place === null ? null : roleIn(actor, place.projectId)) ?? actor.role,
    scopes: scopes === null ? null : [...scopes],
    projectId: place?.projectId ?? null,
    environmentId: place?.environmentId ?? null,
    operations: Object.fromEntries(entries) as Record<string, ReturnType<typeof viewPermission>>,
    admins: admins.map(({ id, name }) => ({ id, name })),
  };
}

function viewPermission(actor: Actor, needs: Needs, place: Place | null) {
  // An operation on the organization needs the role in the organization, whatever place the caller asks about.
  const refusal = refusalOf(actor, needs, needs.reach === "organization" ? null : place);
  return {
    allowed: refusal === null,
    refusedBy: refusal?.by ?? null,
    neededRole: refusal !== null && "neededRole" in refusal ? refusal.neededRole : null,
    neededScope: refusal !== null && "neededScope" in refusal ? refusal.neededScope : null,
  };
}

export const CallerSchema = Type.Object(
  {
    organization: Type.Object(
      {
        id: Id("org", "Id of the organization."),
        name: Text("Display name.", "Acme"),
      },
      {
        title: "CallerOrganization",
        description:
          "The organization that the caller belongs to. `GET /v1/organization` has its other fields.",
      },
    ),
    user: UserSchema,
    apiKey: At(Nullable(ApiKeySchema), "The API key of the request; null for a session or a workload."),
    credential: Type.Object(
      {
        kind: Words(CREDENTIAL_KINDS, {
          title: "CredentialKind",
          description: "The credential of the request.",
          examples: ["api-key"],
        }),
        id: Id("key", "The id of the API key, of the session or of the workload's token."),
      },
      { title: "Credential", description: "The credential of the request." },
    ),
    cloud: Words(CLOUD_KINDS, {
      title: "CloudName",
      description:
        "The cloud that this installation of Slipway deploys to. `host`: the edge of its own server.",
      examples: ["aws"],
    }),
    permissions: PermissionsSchema,
  },
  { title: "Caller", description: "The caller of the request, and what the caller may do." },
);

/** Without the permissions. */
export function viewCaller(
  { organization, user, apiKey, credential }: Caller,
  cloud: CloudKind,
  labels: ProviderLabels,
) {
  return {
    organization,
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
    webhookBodyDays: kept("Days for which the bodies of the receivers' responses are kept.", 7),
    gitDeliveryDays: kept("Days for which deliveries of git hosts are shown.", 30),
    domainCountDays: kept("Days for which the daily counts of domains are kept.", 400),
    idempotencyHours: kept("Hours for which the first response to an `Idempotency-Key` is repeated.", 24),
  },
  { title: "Retention", description: "For how long this installation keeps records." },
);

export type Retention = Static<typeof RetentionSchema>;

export const OrganizationSchema = Type.Object(
  {
    id: Id("org", "Id of the organization."),
    name: Text("Display name.", "Acme"),
    createdAt: CreatedAt(),
    retention: RetentionSchema,
  },
  {
    title: "Organization",
    description: "The owner of all resources. Other organizations do not see them.",
  },
);

export function viewOrganization(organization: Organization, retention: Retention) {
  return { ...organization, createdAt: organization.createdAt.toISOString(), retention };
}
