import type { EnvironmentDrift } from "../../../sdk/src/generated/types.ts";
import { tellDrift } from "../api/drift-words.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { Card, Fine, Skeleton, type Tone } from "../ui/layout.tsx";
import css from "./environment-drift.module.css";

const TONES: Readonly<Record<EnvironmentDrift["state"], Tone>> = {
  CURRENT: "good",
  BEHIND: "todo",
  NOT_DEPLOYED: "calm",
  UNKNOWN: "calm",
};

/** Whether what runs is the newest commit of the branch. The git host is asked, which may take a while. */
export function Drift({ environmentId }: { readonly environmentId: string }) {
  const { data, error } = useLater(read("environments", "getDrift", environmentId));
  if (data === undefined && error !== null) return <Problem error={error} />;
  return (
    <Card label="Compared with its branch">
      <div className={css["drift"]}>
        {data === undefined ? (
          <Skeleton lines={2} label="Comparing with the branch" />
        ) : (
          <Comparison drift={data} />
        )}
      </div>
    </Card>
  );
}

function Comparison({ drift }: { readonly drift: EnvironmentDrift }) {
  const { state, sentence, newest } = tellDrift(drift);
  return (
    <>
      <p>
        <Status of={drift.state} words={state} tone={TONES[drift.state]} /> {sentence}
      </p>
      {newest === null ? null : <Fine>{newest}</Fine>}
    </>
  );
}
