import { tellRollback } from "../api/rollback-words.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { Skeleton } from "../ui/layout.tsx";

/** What a rollback adds, changes and removes in each environment. */
export function RollbackPreview({ deploymentId }: { readonly deploymentId: string }) {
  const { data, error } = useLater(read("deployments", "planRollback", deploymentId));
  if (data === undefined)
    return error === null ? <Skeleton lines={3} label="Loading what changes" /> : <Problem error={error} />;
  return data.environments.map((environment) => (
    <section key={environment.id} aria-label={`What changes in ${environment.name}`}>
      <h3>{environment.name}</h3>
      <ul>
        {tellRollback(environment).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  ));
}
