/** @import { Deployment, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { copyable } from "../parts/copy.js";
import { facts, link, pageHead } from "../parts/page.js";
import { badge } from "../parts/status.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showDeployment({ api, params, signal, notify, go }) {
  const path = `/v1/deployments/${params["id"]}`;
  /** @type {Deployment} */
  const first = await api.get(path, signal);
  const state = h("div", { "aria-live": "polite" });
  /** @param {Deployment} deployment */
  const showState = (deployment) =>
    fill(
      state,
      facts([
        ["Status", badge(deployment.status)],
        ["Commit", copyable(deployment.commitHash, { what: "the commit", notify, focus: "commit" })],
        ["Branch", deployment.branch],
        [
          "Project",
          link(`/projects/${deployment.projectId}`, h("code", { class: "id" }, deployment.projectId)),
        ],
        ["Created", when(deployment.createdAt)],
        ["Changed", when(deployment.updatedAt)],
      ]),
      deployment.statusReason !== null && h("p", { class: "note" }, deployment.statusReason),
    );
  showState(first);
  void follow({ api, path, signal, onNews: showState, onGone: () => go("/deployments") });
  return [
    pageHead({ title: `Deployment ${first.commit}`, crumbs: [link("/deployments", "Deployments")] }),
    state,
  ];
}
