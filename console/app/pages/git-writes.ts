import type { GitIntegration } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { integrationName } from "../api/git-words.ts";

/** The deletion of a git integration, with its question. */
export function deleteIntegration(integration: GitIntegration) {
  return {
    refreshes: ["gitIntegrations"] as const,
    work: () => slipway.gitIntegrations.delete(integration.id),
    question: {
      title: `Delete the integration with ${integrationName(integration)}?`,
      consequences: ["Slipway no longer reads its repositories.", "Pushes there deploy nothing."],
      action: "Delete integration",
    },
  };
}
