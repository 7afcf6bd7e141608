import { Check, CircleDashed, LoaderCircle, type LucideIcon, Minus, SkipForward, X } from "lucide-react";
import type { DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { stepsOf, type StepState } from "../api/deployment-rules.ts";
import { read, useLater } from "../api/query.ts";
import { COUNTED_MOST, progressOf, usualDuration } from "../api/usual-duration.ts";
import { Icon } from "../ui/icon.tsx";
import { Hidden } from "../ui/layout.tsx";
import { Lasted, useNow } from "../ui/time.tsx";
import css from "./deployment-steps.module.css";

const STATES: Readonly<Record<StepState, readonly [string, LucideIcon]>> = {
  waiting: ["Not begun", CircleDashed],
  busy: ["Under way", LoaderCircle],
  done: ["Done", Check],
  failed: ["Failed", X],
  stopped: ["Stopped", Minus],
  skipped: ["Skipped", SkipForward],
};

const TICK_MS = 1_000;

/** The steps of a deployment from its request to its end, with their times, and its progress by the usual duration. */
export function Steps({ deployment }: { readonly deployment: DeploymentDetails }) {
  const steps = stepsOf(deployment);
  return (
    <section className={css["card"]} aria-label="Progress">
      <ol className={css["steps"]} aria-label="Steps">
        {steps.map(({ name, state, from, to }) => {
          const [words, icon] = STATES[state];
          return (
            <li key={name} data-step={name} data-state={state}>
              <span className={css["mark"]}>
                <Icon of={icon} size={14} />
              </span>
              <strong>{name}</strong>
              <span className={css["time"]}>
                {from === null || state === "stopped" ? words : <Hidden>{words}</Hidden>}
                {from === null ? null : <Lasted from={from} to={to} />}
              </span>
            </li>
          );
        })}
      </ol>
      <Bar deployment={deployment} steps={steps} />
    </section>
  );
}

function Bar({
  deployment,
  steps,
}: {
  readonly deployment: DeploymentDetails;
  readonly steps: ReturnType<typeof stepsOf>;
}) {
  const now = useNow(TICK_MS);
  const { projectId, environmentId, environments } = deployment;
  const place = environmentId ?? environments[0]?.id;
  const { data } = useLater(
    read("overview", "listDeployments", {
      projectId,
      ...(place === undefined ? {} : { environmentId: place }),
      status: "SUCCESS",
      order: "desc",
      limit: COUNTED_MOST + 1,
    }),
  );
  const usual = data === undefined ? null : usualDuration(data.deployments, deployment);
  const { parts, words } = progressOf(deployment, steps, usual, now);
  const percent = Math.round(100 * parts.reduce((sum, { part }) => sum + part, 0));
  return (
    <div className={css["progress"]}>
      <div
        className={css["bar"]}
        {...(deployment.endedAt === null
          ? {
              role: "progressbar",
              "aria-label": "Progress",
              "aria-valuenow": percent,
              "aria-valuetext": words,
            }
          : { "aria-hidden": true })}
      >
        {parts.map(({ name, state, part }) => (
          <span key={name} data-state={state} title={name} style={{ width: `${100 * part}%` }} />
        ))}
      </div>
      <span className={css["words"]}>{words}</span>
    </div>
  );
}
