/** @import { Environment, Page, Service, View } from "../api-types.ts" */
import { copyable } from "../parts/copy.js";
import { crumbsOfEnvironment } from "../parts/crumbs.js";
import { facts, pageHead, section } from "../parts/page.js";
import { serviceTable } from "../parts/service-table.js";
import { variablesPanel } from "../parts/variables.js";

/** @param {View} view */
export async function showEnvironment(view) {
  const { api, params, signal, notify } = view;
  const path = `/v1/environments/${params["id"]}`;
  /** @type {[Environment, Page<Service>]} */
  const [environment, services] = await Promise.all([
    api.get(path, signal),
    api.list(`${path}/services`, "services", null, signal),
  ]);
  const [crumbs, variables] = await Promise.all([
    crumbsOfEnvironment(view, environment),
    variablesPanel(view, path),
  ]);
  return [
    pageHead({ title: environment.name, crumbs }),
    facts([
      ["Region", environment.region],
      ["Branch", environment.source.branch],
      ["Deploys", environment.source.trigger],
      ["Id", copyable(environment.id, { what: "the id", notify })],
    ]),
    section("Services", serviceTable(services.items)),
    section("Environment variables", variables),
  ];
}
