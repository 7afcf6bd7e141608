/** @import { Service } from "../api-types.ts" */
import { link } from "./page.js";
import { makeTable } from "./table.js";

/** @param {readonly Service[]} services */
export function serviceTable(services) {
  return makeTable(
    "Services",
    [
      { label: "Service", cell: ({ id, name }) => link(`/services/${id}`, name) },
      { label: "Type", cell: ({ type }) => type },
      { label: "Id in the configuration", cell: ({ configId }) => configId },
    ],
    services,
  ).table;
}
