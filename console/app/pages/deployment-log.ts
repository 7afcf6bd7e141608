/** The log of a deployment as it comes in. */
import { useEffect, useState } from "react";
import { AbortedError } from "../../../sdk/src/errors.ts";
import { slipway } from "../api/client.ts";
import { withSession } from "../api/session.ts";
import type { LogRow } from "../ui/log-view.tsx";

export type DeploymentLogRow = LogRow & { readonly serviceId: string };

/** Lines come in bursts; what came meanwhile is shown together. */
const GATHER_MS = 100;

/** All lines of a deployment so far; live until it has ended. */
export function useDeploymentLog(deploymentId: string): {
  readonly rows: readonly DeploymentLogRow[];
  readonly isLive: boolean;
  readonly error: unknown;
} {
  const [rows, setRows] = useState<readonly DeploymentLogRow[]>([]);
  const [isLive, setLive] = useState(true);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const end = new AbortController();
    let came: DeploymentLogRow[] = [];
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      clearTimeout(timer);
      timer = undefined;
      const added = came;
      came = [];
      if (added.length > 0) setRows((before) => [...before, ...added]);
    };
    const follow = async () => {
      for await (const one of slipway.deployments.streamLogs(deploymentId, {}, { signal: end.signal })) {
        if (one.event !== "line") continue;
        const { at, service, serviceId, stream, text } = one.data;
        count += 1;
        came.push({ key: String(count), at, of: service, isError: stream === "stderr", text, serviceId });
        timer ??= setTimeout(show, GATHER_MS);
      }
    };
    const run = async () => {
      try {
        await withSession(follow);
      } catch (reason) {
        if (end.signal.aborted || reason instanceof AbortedError) return;
        setError(reason);
      }
      if (end.signal.aborted) return;
      show();
      setLive(false);
    };
    void run();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [deploymentId]);
  return { rows, isLive, error };
}
