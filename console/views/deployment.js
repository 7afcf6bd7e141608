/** @import { Deployment, DeploymentDetails, Project, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { copyable } from "../parts/copy.js";
import { titleOf, triggerName } from "../parts/deployments.js";
import { askFirst, tell } from "../parts/dialog.js";
import { logPane } from "../parts/log-pane.js";
import { button, facts, link, pageHead, section } from "../parts/page.js";
import { problemBox, toProblem } from "../parts/problem.js";
import { errorBox, runCard } from "../parts/run-card.js";
import { badge } from "../parts/status.js";
import { lasted, when } from "../parts/time.js";

/** @param {View} view */
export async function showDeployment(view) {
  const { api, params, signal, go, mayWrite } = view;
  const path = `/v1/deployments/${params["id"]}`;
  /** @type {DeploymentDetails} */
  const first = await api.get(path, signal);
  /** @type {Project} */
  const project = await api.get(`/v1/projects/${first.projectId}`, signal);
  const state = h("div", { "aria-live": "polite" });
  const runs = h("div", { class: "runs" });
  const failure = h("div", {});
  const { cancel, rollBack } = actions(view, first, failure);
  const log = logPane({ api, path: `${path}/logs`, signal });

  /** @param {DeploymentDetails} now */
  const showState = (now) => {
    cancel.hidden = !mayWrite || now.endedAt !== null || now.cancelRequestedAt !== null;
    rollBack.hidden = !mayWrite || now.status !== "SUCCESS";
    fill(state, summary(view, now));
    fill(
      runs,
      now.environments.map((run) =>
        runCard(
          run,
          now.services.filter(({ environmentId }) => environmentId === run.id),
        ),
      ),
    );
    log.offer(now.services.filter(({ type }) => type !== "external"));
  };
  showState(first);
  void follow({ api, path, signal, onNews: showState, onGone: () => go("/deployments") });
  return [
    pageHead({
      title: `Deployment ${first.commit}`,
      crumbs: [link("/deployments", "Deployments"), link(`/projects/${project.id}`, project.name)],
      actions: [cancel, rollBack],
    }),
    failure,
    state,
    runs,
    section("Log", log.element),
  ];
}

/**
 * @param {View} view
 * @param {DeploymentDetails} deployment
 */
function summary({ notify }, deployment) {
  const { status, error, statusReason, environments, rollbackOf, cancelRequestedAt, endedAt } = deployment;
  // With a single environment, its own card shows what went wrong.
  const isSaidBelow = environments.length === 1 && environments[0]?.error !== null;
  const isEnding = cancelRequestedAt !== null && endedAt === null;
  return [
    facts([
      ["Status", badge(status, isEnding ? "Cancelling" : undefined)],
      ["Branch", deployment.branch],
      ["Change", titleOf(deployment.commitMessage)],
      ["Author", deployment.commitAuthor],
      ["Commit", copyable(deployment.commitHash, { what: "the commit", notify, focus: "commit" })],
      [
        "By",
        rollbackOf === null
          ? triggerName(deployment.trigger)
          : link(`/deployments/${rollbackOf}`, "rollback"),
      ],
      ["Created", when(deployment.createdAt)],
      ["Took", lasted(deployment.createdAt, endedAt)],
    ]),
    error === null
      ? statusReason !== null && h("p", { class: "note" }, statusReason)
      : !isSaidBelow && h("div", { class: "below" }, errorBox(error)),
  ];
}

/**
 * @param {View} view
 * @param {Deployment} deployment
 * @param {HTMLElement} failure
 */
function actions({ api, go, notify }, { id, commit }, failure) {
  const path = `/v1/deployments/${id}`;
  const cancel = button("Cancel", async () => {
    failure.replaceChildren();
    try {
      await api.write("POST", `${path}/cancel`);
      notify("Cancelling. What is already live stays live.");
    } catch (error) {
      failure.replaceChildren(problemBox(toProblem(error)));
    }
  });
  const rollBack = button("Roll back to this", () =>
    askFirst({
      title: `Roll back to ${commit}?`,
      text: "This starts a new deployment of this commit, with its configuration and its build artifacts. Domains, data and variables set with the API stay as they are.",
      action: "Roll back",
      onConfirm: async () => {
        /** @type {{ deployment: Deployment, notRestored: readonly string[] }} */
        const { deployment, notRestored } = (await api.write("POST", `${path}/rollback`)).body;
        go(`/deployments/${deployment.id}`);
        tell(
          "Rolling back",
          h("p", {}, "Not rolled back:"),
          h(
            "ul",
            {},
            notRestored.map((item) => h("li", {}, item)),
          ),
        );
      },
    }),
  );
  return { cancel, rollBack };
}
