/** @import { Deployment, Page, Project, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { makeForm } from "./form.js";
import { empty, link } from "./page.js";
import { badge } from "./status.js";
import { pagedTable } from "./table.js";
import { lasted, when } from "./time.js";

/**
 * @param {View} view
 * @param {Project} project
 */
export function deployForm({ api, go }, { id, repoUrl }) {
  return makeForm({
    isInline: true,
    fields: [{ name: "branch", label: "Branch", optional: true, placeholder: "each environment's branch" }],
    action: "Deploy",
    onSubmit: async (values) => {
      const body = { repoUrl, ...values, filter: { projectId: id } };
      /** @type {Deployment} */
      const deployment = (await api.write("POST", "/v1/deployments", body)).body;
      go(`/deployments/${deployment.id}`);
    },
  });
}

/**
 * @param {Page<Deployment>} first
 * @param {(cursor: string | null) => Promise<Page<Deployment>>} load
 */
export function deploymentsTable(first, load) {
  return pagedTable({
    caption: "Deployments",
    load,
    first,
    empty: empty("No deployments yet."),
    columns: [
      { label: "Deployment", cell: ({ id, commit }) => link(`/deployments/${id}`, h("code", {}, commit)) },
      { label: "Branch", cell: ({ branch }) => branch },
      {
        label: "Change",
        cell: ({ commitMessage, commitAuthor }) => [titleOf(commitMessage), ...byAuthor(commitAuthor)],
      },
      { label: "By", cell: ({ trigger }) => triggerName(trigger) },
      { label: "Status", cell: ({ status }) => badge(status) },
      {
        label: "Took",
        cell: ({ createdAt, endedAt }) => (endedAt === null ? "–" : lasted(createdAt, endedAt)),
      },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
    ],
  });
}

/**
 * The first line of a commit's message.
 * @param {string | null} message
 */
export function titleOf(message) {
  return message?.split("\n", 1)[0] ?? h("span", { class: "quiet" }, "–");
}

/** @param {string | null} author */
function byAuthor(author) {
  return author === null ? [] : [h("span", { class: "quiet" }, ` by ${author}`)];
}

/** @param {string} trigger */
export function triggerName(trigger) {
  return { api: "request", push: "push", rollback: "rollback" }[trigger] ?? trigger;
}
