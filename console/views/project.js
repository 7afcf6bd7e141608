/** @import { Deployment, Environment, Page, Project, Service, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { askFirst } from "../parts/dialog.js";
import { copyable } from "../parts/copy.js";
import { deployForm, deploymentsTable } from "../parts/deployments.js";
import { button, facts, link, pageHead, section } from "../parts/page.js";
import { serviceTable } from "../parts/service-table.js";
import { badge } from "../parts/status.js";
import { when } from "../parts/time.js";

const RECENT_DEPLOYMENTS = 5;

/** @param {View} view */
export async function showProject(view) {
  const { api, params, signal, go, notify } = view;
  const path = `/v1/projects/${params["id"]}`;
  const recent = `/v1/deployments?order=desc&projectId=${params["id"]}`;
  /** @type {[Project, Page<Environment>, Page<Deployment>]} */
  const [project, environments, deployments] = await Promise.all([
    api.get(path, signal),
    api.list(`${path}/environments`, "environments", null, signal),
    api.list(recent, "deployments", null, signal),
  ]);
  /** @type {readonly Page<Service>[]} */
  const services = await Promise.all(
    environments.items.map(({ id }) => api.list(`/v1/environments/${id}/services`, "services", null, signal)),
  );
  const remove = button(
    "Delete",
    () =>
      askFirst({
        title: `Delete ${project.name}?`,
        text: "This also deletes its environments, services, variables and deployments, and its resources in the cloud account.",
        action: "Delete project",
        onConfirm: async () => {
          await api.write("DELETE", path);
          go("/projects");
        },
      }),
    { class: "danger-quiet" },
  );
  return [
    pageHead({
      title: project.name,
      crumbs: [link("/projects", "Projects")],
      actions: project.status === "DELETING" ? [] : [remove],
    }),
    facts([
      ["Status", badge(project.status)],
      ["Repository", project.repoUrl],
      [
        "Cloud account",
        link(`/accounts/${project.awsAccountId}`, h("code", { class: "id" }, project.awsAccountId)),
      ],
      [
        "Configuration",
        project.configType === "iac"
          ? `${project.configFilePath} on ${project.configFileBranch}`
          : "stored in Slipway",
      ],
      ["Id", copyable(project.id, { what: "the id", notify })],
      ["Created", when(project.createdAt)],
    ]),
    ...environments.items.map((environment, index) =>
      h(
        "section",
        { class: "card" },
        h(
          "div",
          { class: "title-row" },
          h("h2", {}, link(`/environments/${environment.id}`, environment.name)),
          h("p", { class: "quiet" }, `${environment.region} · branch ${environment.source.branch}`),
        ),
        serviceTable(services[index]?.items ?? []),
      ),
    ),
    section(
      "Deployments",
      deployForm(view, project),
      deploymentsTable(
        { items: deployments.items.slice(0, RECENT_DEPLOYMENTS), nextCursor: null },
        async () => deployments,
      ),
      deployments.items.length > RECENT_DEPLOYMENTS && h("p", {}, link("/deployments", "All deployments")),
    ),
  ];
}
