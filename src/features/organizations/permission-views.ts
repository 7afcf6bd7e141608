import { Type } from "typebox";
import { Id, Nullable, Text, Words } from "../../http/schemas.ts";
import { type Needs, type Place, refusalOf, roleIn } from "../../lib/access.ts";
import { type Actor, ROLES, SCOPES } from "../../lib/actor.ts";
import type { User } from "./organization.ts";
import { RoleSchema, ScopeSchema } from "./views.ts";

const REFUSED_BY = ["role", "scope", "projects", "protection"] as const;

const PermissionSchema = Type.Object(
  {
    allowed: Type.Boolean({ description: "Whether the caller may do it.", examples: [false] }),
    refusedBy: Nullable(
      Words(REFUSED_BY, {
        title: "RefusedBy",
        description:
          "What refuses it: the role, the key's scopes, the key's projects, or the protection of the environment; null if it is allowed.",
        examples: ["protection"],
      }),
    ),
    neededRole: Nullable(
      Words(ROLES, {
        title: "NeededRole",
        description: "The role that it takes here; of a refusal by the role or the protection.",
        examples: ["admin"],
      }),
    ),
    neededScope: Nullable(
      Words(SCOPES, {
        title: "NeededScope",
        description: "The scope that it takes; of a refusal by the scopes.",
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
    environmentId: Nullable(Id("env", "The environment that they are about; null without.")),
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
      { description: "Some admins of the organization, who may do what the caller may not." },
    ),
  },
  {
    title: "Permissions",
    description:
      "What the caller may do: in the organization, or in the project or environment of the query. It is what requests are held against.",
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
