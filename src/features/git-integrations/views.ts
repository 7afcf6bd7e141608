import { Type } from "typebox";
import { GitProviderSchema } from "../projects/views.ts";
import { CreatedAt, Id, Instant, Nullable, Text } from "../../http/schemas.ts";
import type { GitIntegration } from "./git-integration.ts";

export const GitIntegrationSchema = Type.Object(
  {
    id: Id("git", "Id of the integration."),
    provider: GitProviderSchema,
    host: Nullable(Text("The host of the self-hosted GitLab; only with `provider_b_self_hosted`.", null)),
    createdAt: CreatedAt(),
    tokenSetAt: Instant("When its token was last set."),
  },
  {
    title: "GitIntegration",
    description: "The organization's access to a git provider. Its token is never shown.",
  },
);

export function viewGitIntegration({ id, provider, host, createdAt, tokenSetAt }: GitIntegration) {
  return {
    id,
    provider,
    host,
    createdAt: createdAt.toISOString(),
    tokenSetAt: tokenSetAt.toISOString(),
  };
}

export const HookSecretSchema = Type.Object(
  {
    url: Text(
      "Where the git host has to deliver push events.",
      "https://slipway.test/v1/git-hooks/provider_a",
    ),
    secret: Text(
      "The secret that the git host signs its deliveries with. Shown only once.",
      "c2lnbi15b3VyLWRlbGl2ZXJpZXMtd2l0aC10aGlzISE",
    ),
  },
  { title: "HookSecret", description: "What to enter at the git host, so that pushes deploy." },
);
