/** What a service prints, as it comes in. */
import { useEffect, useState } from "react";
import { slipway } from "../api/client.ts";
import { withSession } from "../api/session.ts";
import type { LogRow } from "../ui/log-view.tsx";

type ServiceLog = {
  readonly rows: readonly LogRow[];
  /** Whose release prints it; null until that is known. */
  readonly deploymentId: string | null;
  readonly error: unknown;
};

/** Lines come in bursts; what came meanwhile is shown together. */
const GATHER_MS = 100;
const NOTHING: ServiceLog = { rows: [], deploymentId: null, error: null };

/** All lines of the live release so far, and those of the next one when it is live. */
export function useServiceLog(serviceId: string): ServiceLog {
  const [log, setLog] = useState(NOTHING);
  useEffect(() => {
    const end = new AbortController();
    let came: LogRow[] = [];
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      clearTimeout(timer);
      timer = undefined;
      const added = came;
      came = [];
      if (added.length > 0) setLog((before) => ({ ...before, rows: [...before.rows, ...added] }));
    };
    const follow = async () => {
      for await (const one of slipway.services.streamLogs(serviceId, {}, { signal: end.signal })) {
        if (one.event === "release") {
          show();
          setLog((before) => ({ ...before, deploymentId: one.data.deploymentId }));
        } else {
          const { at, stream, text } = one.data;
          count += 1;
          came.push({ key: String(count), at, of: "", isError: stream === "stderr", text });
          timer ??= setTimeout(show, GATHER_MS);
        }
      }
    };
    setLog(NOTHING);
    withSession(follow).catch((error: unknown) => {
      if (!end.signal.aborted) setLog((before) => ({ ...before, error }));
    });
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [serviceId]);
  return log;
}
