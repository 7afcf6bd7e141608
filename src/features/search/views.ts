import { Type } from "typebox";
import { CreatedAt, Id, Nullable, Text, Words } from "../../http/schemas.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { type Found, type Hit, HIT_TYPES } from "./hit.ts";

const HitTypeSchema = Words(HIT_TYPES, {
  title: "SearchHitType",
  description: "The kind of resource.",
  examples: ["service"],
});

const HitSchema = Type.Object(
  {
    type: HitTypeSchema,
    id: Id("svc", "Id of the resource."),
    name: Nullable(
      Text(
        "Its name; of a deployment, the first line of its commit's message, null if that is not known.",
        "Website",
      ),
    ),
    status: Nullable(Text("Of a project, domain, domain group, deployment or account: its `status`.", null)),
    projectId: Nullable(Id("proj", "The project that it belongs to, or is.")),
    projectName: Nullable(Text("The project's name.", "Shop")),
    environmentId: Nullable(Id("env", "The environment that it belongs to, or is.")),
    environmentName: Nullable(Text("The environment's name.", "Production")),
    serviceId: Nullable(Id("svc", "The service that it belongs to, or is.")),
    serviceName: Nullable(Text("The service's name.", "Website")),
    domainCertificateGroupId: Nullable(Text("The group that it belongs to, or is.", null)),
    branch: Nullable(Text("Of a deployment: its branch.", null)),
    commit: Nullable(Text("Of a deployment: the first 7 digits of its commit.", null)),
    createdAt: CreatedAt(),
  },
  {
    title: "SearchHit",
    description: "A found resource, and where it belongs. Fields that its type does not have are null.",
  },
);

export const SearchResultSchema = Type.Object(
  {
    hits: Type.Array(HitSchema, { description: "At most `limit` of each type, in the order of the types." }),
    more: Type.Array(HitTypeSchema, {
      description: "Types with more than `limit` hits.",
      examples: [[]],
    }),
  },
  { title: "SearchResult", description: "The resources that were found." },
);

export function viewFound({ hits, more }: Found) {
  return { hits: hits.map(viewHit), more: [...more] };
}

function viewHit({ commitHash, createdAt, ...hit }: Hit) {
  const name = hit.type === "deployment" ? (hit.name?.split("\n", 1)[0] ?? null) : hit.name;
  return {
    ...hit,
    name,
    commit: commitHash === null ? null : shortHash(commitHash),
    createdAt: createdAt.toISOString(),
  };
}
