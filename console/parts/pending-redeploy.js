/** @import { PendingRedeploy } from "../api-types.ts" */
import { h } from "../dom.js";
import { link } from "./page.js";
import { when } from "./time.js";

/**
 * Says which variables are newer than what runs; nothing if there are none.
 * @param {PendingRedeploy | null} pending
 * @param {string} projectId
 */
export function pendingRedeployBox(pending, projectId) {
  if (pending === null) return null;
  const { since, variables } = pending;
  const isOne = variables.length === 1;
  return h(
    "div",
    { class: "problem warning below" },
    h(
      "p",
      {},
      isOne ? "This variable changed" : "These variables changed",
      " after the running release was given its own (",
      when(since),
      "). It gets ",
      isOne ? "it" : "them",
      " with the next deployment.",
    ),
    h(
      "ul",
      {},
      variables.map(({ name, from, changedAt, isDeleted }) =>
        h(
          "li",
          {},
          h("code", { class: "name" }, name),
          `, of the ${from}, ${isDeleted ? "deleted" : "changed"} `,
          when(changedAt),
        ),
      ),
    ),
    link(`/projects/${projectId}`, "Deploy from the project's page"),
  );
}
