import { type LucideIcon, Minus, PencilLine, Plus } from "lucide-react";
import { type RollbackChange, describeRollback } from "../api/rollback-words.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/layout.tsx";
import css from "./rollback-preview.module.css";

const ICONS: Readonly<Record<RollbackChange["kind"], LucideIcon | null>> = {
  removed: Minus,
  added: Plus,
  changed: PencilLine,
  same: null,
};

/** What a rollback adds, changes and removes in each environment, and what it does not bring back. */
export function RollbackPreview({ deploymentId }: { readonly deploymentId: string }) {
  const { data, error } = useLater(read("deployments", "planRollback", deploymentId));
  if (data === undefined)
    return error === null ? <Skeleton lines={6} label="Loading what changes" /> : <Problem error={error} />;
  return (
    <>
      {data.environments.map((environment) => (
        <section key={environment.id} aria-label={`What changes in ${environment.name}`}>
          <h3>{environment.name}</h3>
          <ul className={css["changes"]}>
            {describeRollback(environment).map(({ kind, words }) => {
              const icon = ICONS[kind];
              return (
                <li key={words} data-kind={kind}>
                  {icon === null ? null : <Icon of={icon} />}
                  <span>{words}</span>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      <section aria-label="Not rolled back">
        <h3>Not rolled back</h3>
        <ul>
          {data.notRestored.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </section>
    </>
  );
}
