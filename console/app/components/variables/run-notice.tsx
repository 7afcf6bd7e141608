import { slipway } from "../../api/client.ts";
import { read, useLater } from "../../api/query.ts";
import type { Owner } from "../../api/variable-matrix.ts";
import { useFollow } from "../../live/use-live.tsx";
import { Notice } from "../problem.tsx";

/** How far the secrets of a save are on their way into the cloud account, and which could not be stored. */
export function RunNotice({ owner, runId }: { readonly owner: Owner; readonly runId: string }) {
  const one = read("variables", "getRun", owner, { runId });
  const { data: run } = useLater(one);
  useFollow(
    one,
    (options) => slipway.variables.watchRun(owner, { runId }, options),
    run?.isFinished !== true,
  );
  if (run === undefined) return null;
  const failed = Object.entries(run.failedEnvVariables);
  const { processedEnvVariables: done, totalExpectedEnvVars: all } = run;
  if (!run.isFinished)
    return (
      <p role="status">
        Storing secrets in the cloud account: {done} of {all}.{" "}
        <progress value={done} max={all} aria-label="Secrets stored" />
      </p>
    );
  if (failed.length === 0)
    return (
      <p role="status">
        {all === 1 ? "The secret is" : `All ${all} secrets are`} stored in the cloud account.
      </p>
    );
  return (
    <Notice isBad title="Some secrets could not be stored. What they were before stays in effect.">
      <ul>
        {failed.map(([name, { code, message }]) => (
          <li key={name}>
            <code>{name}</code> {message} <small>{code}</small>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
