import { type TProperties, Type } from "typebox";
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

function ofIntegration<T extends TProperties>(description: string, data: T) {
  const all = Type.Object({ ...INTEGRATION, ...data });
  return { subject: "git_integration", description, data: all, role: "admin" } as const;
}

export const GIT_INTEGRATION_EVENTS = declareEvents({
  "git_integration.created": ofIntegration("A git integration was created.", {}),
  "git_integration.updated": ofIntegration(
    "The token or the hook secret of a git integration was replaced.",
    {
      updated: Words(UPDATED_PARTS, { description: "The part that was replaced.", examples: ["token"] }),
    },
  ),
  "git_integration.token_refused": ofIntegration(
    "A check found that the git host no longer accepts the token. Deployments fail until it is replaced (`git_integration.updated`) or accepted again. A host that does not answer causes no event.",
    { error: CodedErrorSchema },
  ),
  "git_integration.token_accepted": ofIntegration(
    "A check found that the git host accepts a token again that it had refused.",
    {},
  ),
  "git_integration.report_refused": ofIntegration(
    "The git host refuses reports of deployments, because the token lacks a permission. Emitted once, until the token is replaced or the host takes all reports again. Deployments do not depend on it.",
    { error: CodedErrorSchema },
  ),
  "git_integration.deleted": ofIntegration("A git integration was deleted.", {}),
});
