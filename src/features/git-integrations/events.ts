import { Type } from "typebox";
import { Nullable, Text, Words } from "../../http/schemas.ts";
import { GIT_PROVIDERS } from "../../git/git.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";

const INTEGRATION = {
  provider: Words(GIT_PROVIDERS, { description: "The git provider.", examples: ["provider_a"] }),
  host: Nullable(Text("The host of a self-hosted provider.", null)),
};

/** The parts of an integration that an admin can replace. Their values are never shown. */
export const UPDATED_PARTS = ["token", "hookSecret"] as const;

export const GIT_INTEGRATION_EVENTS = declareEvents({
  "git_integration.created": {
    subject: "git_integration",
    description: "A git integration was created.",
    data: Type.Object(INTEGRATION),
    role: "admin",
  },
  "git_integration.updated": {
    subject: "git_integration",
    description: "The token or the hook secret of a git integration was replaced.",
    data: Type.Object({
      ...INTEGRATION,
      updated: Words(UPDATED_PARTS, { description: "What was replaced.", examples: ["token"] }),
    }),
    role: "admin",
  },
  "git_integration.token_refused": {
    subject: "git_integration",
    description:
      "A check found that the git host no longer accepts the token: deployments fail until it is replaced (`git_integration.updated`) or accepted again. A host that does not answer refuses nothing.",
    data: Type.Object({ ...INTEGRATION, error: CodedErrorSchema }),
    role: "admin",
  },
  "git_integration.token_accepted": {
    subject: "git_integration",
    description: "A check found that the git host accepts the token again that it had refused.",
    data: Type.Object(INTEGRATION),
    role: "admin",
  },
  "git_integration.deleted": {
    subject: "git_integration",
    description: "A git integration was deleted.",
    data: Type.Object(INTEGRATION),
    role: "admin",
  },
});
