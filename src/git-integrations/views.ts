import { Type } from "typebox";
import { GIT_PROVIDERS } from "../git/git.ts";
import { Instant, Nullable, Words } from "../http/schemas.ts";
import type { GitIntegration } from "./git-integration.ts";

export const GitIntegrationSchema = Type.Object(
  {
    id: Type.String(),
    provider: Words(GIT_PROVIDERS),
    host: Nullable(Type.String({ description: "Only with `provider_b_self_hosted`." })),
    createdAt: Instant(),
  },
  { description: "How the organization reaches a git provider. Its token is never shown." },
);

export function viewGitIntegration({ id, provider, host, createdAt }: GitIntegration) {
  return { id, provider, host, createdAt: createdAt.toISOString() };
}

export const HookSecretSchema = Type.Object({
  url: Type.String({ description: "Where the git host delivers push events to." }),
  secret: Type.String({ description: "Shown this once." }),
});
