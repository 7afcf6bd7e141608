import type { PendingRedeploy } from "../../../sdk/src/generated/types.ts";
import { When } from "../ui/time.tsx";
import { Notice } from "./problem.tsx";

/** Says which variables are newer than what runs; nothing if there are none. */
export function PendingRedeployNotice({ pending }: { readonly pending: PendingRedeploy | null }) {
  if (pending === null) return null;
  const { since, variables } = pending;
  const isOne = variables.length === 1;
  return (
    <Notice title={isOne ? "A variable is newer than what runs" : "Variables are newer than what runs"}>
      <p>
        {isOne ? "This variable" : "These variables"} changed after the running release was given its own (
        <When at={since} />
        ). It gets {isOne ? "it" : "them"} with the next deployment.
      </p>
      <ul>
        {variables.map(({ name, from, changedAt, isDeleted }) => (
          <li key={`${name} ${from}`}>
            <code>{name}</code>, of the {from}, {isDeleted ? "deleted" : "changed"} <When at={changedAt} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
