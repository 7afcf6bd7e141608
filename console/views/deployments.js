/** @import { Deployment, Page, View } from "../api-types.ts" */
import { deploymentsTable } from "../parts/deployments.js";
import { pageHead } from "../parts/page.js";

/** @param {View} view */
export async function showDeployments(view) {
  const { api, signal } = view;
  /** @type {(cursor: string | null) => Promise<Page<Deployment>>} */
  const load = (cursor) => api.list("/v1/deployments?order=desc", "deployments", cursor, signal);
  return [
    pageHead({
      title: "Deployments",
      lead: "All projects, newest first. To start a deployment, open a project.",
    }),
    deploymentsTable(await load(null), load),
  ];
}
