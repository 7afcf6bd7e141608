/** @import { Page, Project, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { empty, link, pageHead } from "../parts/page.js";
import { badge } from "../parts/status.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showProjects({ api, signal }) {
  /** @type {(cursor: string | null) => Promise<Page<Project>>} */
  const load = (cursor) => api.list("/v1/projects", "projects", cursor, signal);
  const table = pagedTable({
    caption: "Projects",
    load,
    first: await load(null),
    empty: firstSteps(),
    columns: [
      { label: "Name", cell: ({ id, name }) => link(`/projects/${id}`, name) },
      { label: "Status", cell: ({ status }) => badge(status) },
      { label: "Repository", cell: ({ repoUrl }) => repoUrl },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
    ],
  });
  const create = h("a", { class: "button primary", href: "#/projects/new" }, "New project");
  return [pageHead({ title: "Projects", actions: [create] }), table];
}

/** What a new user does first, in order. */
function firstSteps() {
  return empty(
    h("p", {}, "No projects yet. Create your first one in three steps:"),
    h(
      "ol",
      {},
      h("li", {}, link("/accounts", "Connect a cloud account"), ", which everything is deployed into."),
      h(
        "li",
        {},
        link("/git-integrations", "Add a git integration"),
        ", so that Slipway can read the repository.",
      ),
      h("li", {}, link("/projects/new", "Create a project"), " from a repository."),
    ),
  );
}
