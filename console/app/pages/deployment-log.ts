import { slipway } from "../api/client.ts";
import { useLines } from "../live/use-lines.ts";
import type { LogRow } from "../ui/log-view.tsx";

export type DeploymentLogRow = LogRow & { readonly serviceId: string };

/** All lines of a deployment so far; live until it has ended. */
export function useDeploymentLog(
  deploymentId: string,
): ReturnType<typeof useLines<Omit<DeploymentLogRow, "key">>> {
  return useLines(deploymentId, async (add, signal) => {
    for await (const one of slipway.deployments.streamLogs(deploymentId, {}, { signal })) {
      if (one.event !== "line") continue;
      const { at, service, serviceId, stream, text } = one.data;
      add({ at, of: service, isError: stream === "stderr", text, serviceId });
    }
  });
}
