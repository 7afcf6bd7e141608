import { useState } from "react";
import { slipway } from "../api/client.ts";
import { useLines } from "../live/use-lines.ts";
import type { LogRow } from "../ui/log-view.tsx";

/** All lines of the live release so far, and those of the next one when it is live. */
export function useServiceLog(serviceId: string): {
  readonly rows: readonly LogRow[];
  /** Whose release prints it; null until that is known. */
  readonly deploymentId: string | null;
  readonly error: unknown;
} {
  const [deploymentId, setDeploymentId] = useState<string | null>(null);
  const { rows, error } = useLines<Omit<LogRow, "key">>(serviceId, async (add, signal) => {
    for await (const one of slipway.services.streamLogs(serviceId, {}, { signal })) {
      if (one.event === "release") {
        setDeploymentId(one.data.deploymentId);
      } else {
        const { at, stream, text } = one.data;
        add({ at, of: "", isError: stream === "stderr", text });
      }
    }
  });
  return { rows, deploymentId, error };
}
