import type { DeploymentDetails } from "../../../sdk/src/generated/types.ts";
import { stepsOf, type StepState } from "../api/deployment-rules.ts";
import { Badge, type Tone } from "../ui/layout.tsx";
import { Lasted } from "../ui/time.tsx";
import css from "./deployment.module.css";

const STATES: Readonly<Record<StepState, readonly [string, Tone]>> = {
  waiting: ["Not begun", "calm"],
  busy: ["Under way", "busy"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  stopped: ["Stopped", "calm"],
  skipped: ["Skipped", "calm"],
};

/** The steps of a deployment side by side, each with the time it has taken. */
export function Steps({ deployment }: { readonly deployment: DeploymentDetails }) {
  return (
    <ol className={css["steps"]} aria-label="Steps">
      {stepsOf(deployment).map(({ name, state, from, to }) => {
        const [words, tone] = STATES[state];
        return (
          <li key={name} data-step={name} data-state={state}>
            <strong>{name}</strong>
            <Badge tone={tone}>{words}</Badge>
            <Lasted from={from} to={to} />
          </li>
        );
      })}
    </ol>
  );
}
