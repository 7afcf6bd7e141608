/** @import { DeployedService, DeploymentError, DeploymentRun, Plan } from "../api-types.ts" */
import { h } from "../dom.js";
import { link } from "./page.js";
import { badge } from "./status.js";
import { makeTable } from "./table.js";
import { lasted } from "./time.js";

/** @type {Readonly<Record<string, string>>} */
const CHANGES = { CREATED: "new", REMOVED: "to be removed" };

/**
 * What a deployment does in one environment.
 * @param {DeploymentRun} run
 * @param {readonly DeployedService[]} services Those of the environment.
 */
export function runCard({ id, configId, change, status, statusReason, error, plan }, services) {
  const note = CHANGES[change];
  const { table } = makeTable(
    `Services of ${configId}`,
    [
      { label: "Service", cell: (service) => link(`/services/${service.id}`, service.name) },
      { label: "Type", cell: ({ type }) => type },
      { label: "Status", cell: (service) => badge(service.status, wordsOf(service)) },
      { label: "Build", cell: ({ buildStartedAt, buildEndedAt }) => lasted(buildStartedAt, buildEndedAt) },
      { label: "Release", cell: ({ releaseStartedAt, endedAt }) => lasted(releaseStartedAt, endedAt) },
    ],
    services,
    (service) =>
      service.error &&
      h("p", { class: "check-note" }, h("code", {}, service.error.code), " ", service.error.message),
  );
  return h(
    "section",
    { class: "card", "data-environment": configId },
    h(
      "div",
      { class: "title-row" },
      h(
        "h2",
        {},
        link(`/environments/${id}`, configId),
        note === undefined ? null : h("span", { class: "quiet" }, ` ${note}`),
      ),
      badge(status),
    ),
    error === null ? statusReason !== null && h("p", { class: "quiet" }, statusReason) : errorBox(error),
    plan !== null && planLine(plan),
    services.length > 0 && table,
  );
}

/**
 * Why something failed, with the places in the configuration that are wrong.
 * @param {DeploymentError} error
 */
export function errorBox({ code, message, faults = [] }) {
  return h(
    "div",
    { class: "problem" },
    h("strong", {}, code),
    h("p", {}, message),
    faults.length > 0 &&
      h(
        "ul",
        {},
        faults.map((fault) =>
          h("li", {}, h("code", {}, fault.path === "" ? "/" : fault.path), " ", fault.message),
        ),
      ),
  );
}

/** @param {Plan} plan */
function planLine({ environment, created, changed, removed, unchanged }) {
  const names = (/** @type {readonly string[]} */ all) => all.join(", ");
  const parts = [
    environment.length > 0 && `environment: ${names(environment)}`,
    created.length > 0 && `created: ${names(created)}`,
    changed.length > 0 &&
      `changed: ${names(changed.map(({ service, fields }) => `${service} (${names(fields)})`))}`,
    removed.length > 0 && `removed: ${names(removed)}`,
    unchanged.length > 0 && `unchanged: ${names(unchanged)}`,
  ];
  const said = parts.filter((part) => part !== false);
  return h(
    "p",
    { class: "plan" },
    h("span", { class: "quiet" }, "Plan  "),
    said.join(" · ") || "nothing changes",
  );
}

/** @param {DeployedService} service */
function wordsOf({ status, type }) {
  if (status === "INPROGRESS") return "Built, waiting";
  if (status !== "SUCCESS") return undefined;
  return type === "external" ? "Runs elsewhere" : "Live";
}
