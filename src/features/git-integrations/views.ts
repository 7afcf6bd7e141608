import { Type } from "typebox";
import { GitProviderSchema } from "../projects/views.ts";
import type { ReachedRepository } from "../../git/git.ts";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  viewAs,
  Words,
} from "../../http/schemas.ts";
import { type GitIntegration, TOKEN_STATUSES } from "./git-integration.ts";

export const TokenCheckErrorSchema = Nullable(
  Type.Object(
    {
      code: Text("The cause, for programs.", "GIT_TOKEN_REFUSED"),
      message: Text(
        "The cause.",
        "github.com refuses the git integration's token: it is mistyped, expired or revoked.",
      ),
      action: Text("What to do.", "Create a token that may read repositories, and replace the present one."),
    },
    {
      title: "GitTokenCheckError",
      description: "Why a git host did not do what Slipway asked, and what to do.",
    },
  ),
);

export const GitIntegrationSchema = Type.Object(
  {
    id: Id("git", "Id of the integration."),
    provider: GitProviderSchema,
    host: Nullable(Text("The host of the self-hosted GitLab; only with `provider_b_self_hosted`.", null)),
    createdAt: CreatedAt(),
    tokenSetAt: Instant("When its token was last set."),
    tokenStatus: Words(TOKEN_STATUSES, {
      title: "GitTokenStatus",
      description:
        "`WORKING` if the git host accepted the token when it last answered, `REFUSED` if it refused it: the token expired, was revoked, or lacks permissions.",
      examples: ["WORKING"],
    }),
    lastCheckAt: Instant(
      "When the git host was last asked about the token: when it was set, daily since, and by `POST …/check`.",
    ),
    lastCheckError: At(
      TokenCheckErrorSchema,
      "The error that the last check found; null if there is none. `GIT_TOKEN_REFUSED`: the host refuses the token. `GIT_HOST_UNAVAILABLE` and `GIT_HOST_REFUSED`: the host was not reached, so `tokenStatus` is unchanged.",
      null,
    ),
    reportError: At(
      TokenCheckErrorSchema,
      "Why the git host refuses Slipway's reports of deployments, as commit statuses, deployments or comments; null if it takes all of them. Deployments do not depend on it.",
      null,
    ),
  },
  {
    title: "GitIntegration",
    description: "The organization's access to a git provider. Its token is never shown.",
  },
);

export function viewGitIntegration(integration: GitIntegration) {
  return viewAs(GitIntegrationSchema, integration);
}

export const GitRepositorySchema = Type.Object(
  {
    url: Text("Its address, for the `repoUrl` of a project.", "https://github.com/acme/shop"),
    name: Text("Its path at the git host.", "acme/shop"),
    defaultBranch: Nullable(Text("Its default branch; null while it has no branch.", "main")),
    isPrivate: Type.Boolean({
      description: "Whether reading it requires an account at the git host.",
      examples: [true],
    }),
    lastPushedAt: NullableInstant(
      "When it was last pushed to; at GitLab, its last activity. Null if the host does not say.",
    ),
  },
  { title: "GitRepository", description: "A repository that the token of a git integration can read." },
);

export function viewRepository(repository: ReachedRepository) {
  return viewAs(GitRepositorySchema, repository);
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
  {
    title: "HookSecret",
    description: "The address and the secret to enter at the git host, so that pushes deploy.",
  },
);
