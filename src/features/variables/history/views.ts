import { Type } from "typebox";
import { EXAMPLE_IDS, Id, Instant, Nullable, Text } from "../../../http/schemas.ts";
import type { VariableVersion } from "../env-variable.ts";
import { FROM_SERVICE, KIND, viewLink } from "../views.ts";

export const VersionId = (description: string) => Id("ver", description);

export const VersionSchema = Type.Object(
  {
    version: VersionId("What the version is restored by. All variables of one write have the same."),
    at: Instant("When it took effect."),
    userId: Nullable(
      Text("The user who set it; null if it was set before the history was kept.", EXAMPLE_IDS.user),
    ),
    apiKeyId: Nullable(
      Text("The API key, the session or the workload's token that was used.", EXAMPLE_IDS.key),
    ),
    requestId: Nullable(
      Text("The id of the request, as in the audit entry.", "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b"),
    ),
    isDeletion: Type.Boolean({
      description: "Whether the variable was deleted; then it has no kind.",
      examples: [false],
    }),
    kind: Nullable(KIND),
    value: Nullable(Text("The value; only for plain text.", null)),
    reference: Nullable(Text("A parameter's path or a secret's name or ARN.", null)),
    fromService: FROM_SERVICE,
  },
  { title: "EnvVariableVersion", description: "What a variable was from a time on." },
);

export function viewVersion(row: VariableVersion) {
  const { version, at, userId, apiKeyId, requestId, kind, plainValue, reference } = row;
  return {
    version,
    at: at.toISOString(),
    userId,
    apiKeyId,
    requestId,
    isDeletion: kind === null,
    kind,
    value: plainValue,
    reference,
    fromService: viewLink(row),
  };
}
