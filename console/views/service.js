/** @import { EffectiveVariable, Group, Page, Service, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { copyable } from "../parts/copy.js";
import { crumbsOfService } from "../parts/crumbs.js";
import { sendDomainNames } from "../parts/domain-names.js";
import { makeForm } from "../parts/form.js";
import { empty, facts, link, pageHead, section } from "../parts/page.js";
import { pendingRedeployBox } from "../parts/pending-redeploy.js";
import { problemBox, toProblem } from "../parts/problem.js";
import { badge } from "../parts/status.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";
import { kindName, valueCell, variablesPanel } from "../parts/variables.js";

/** @param {View} view */
export async function showService(view) {
  const { api, params, signal, notify } = view;
  const path = `/v1/services/${params["id"]}`;
  /** @type {Service} */
  const service = await api.get(path, signal);
  const effective = h("div", {});
  const pending = h("div", { "aria-live": "polite" });
  /** @param {Service} now */
  const showPending = (now) => fill(pending, pendingRedeployBox(now.pendingRedeploy, now.projectId));
  showPending(service);
  void follow({ api, path, signal, onNews: showPending });
  const [crumbs, domains, variables] = await Promise.all([
    crumbsOfService(view, service),
    groups(view, path),
    variablesPanel(view, path, () => {
      void showEffectiveVariables(view, path, effective).catch((/** @type {unknown} */ error) => {
        if (!signal.aborted) effective.replaceChildren(problemBox(toProblem(error)));
      });
    }),
    showEffectiveVariables(view, path, effective),
  ]);
  return [
    pageHead({ title: service.name, crumbs }),
    facts([
      ["Type", service.type],
      ["Id in the configuration", service.configId],
      ["Id", copyable(service.id, { what: "the id", notify })],
    ]),
    pending,
    section("Custom domains", ...domains),
    section("Service variables", variables),
    section("Variables at runtime", effective),
  ];
}

/**
 * @param {View} view
 * @param {string} path Of the service.
 */
async function groups({ api, signal, go }, path) {
  /** @type {(cursor: string | null) => Promise<Page<Group>>} */
  const load = (cursor) =>
    api.list(`${path}/domain-certificate-groups`, "domainCertificateGroups", cursor, signal);
  const table = pagedTable({
    caption: "Domain groups",
    load,
    first: await load(null),
    empty: empty("No custom domains yet."),
    columns: [
      { label: "Group", cell: ({ id, name }) => link(`/groups/${id}`, name) },
      { label: "Status", cell: ({ status }) => badge(status) },
      {
        label: "Distribution",
        cell: ({ isDefaultCdn }) => (isDefaultCdn ? "the service's own" : "separate"),
      },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
    ],
  });
  const create = makeForm({
    fields: [
      {
        name: "domains",
        label: "Domain names",
        kind: "lines",
        placeholder: "www.example.com\nexample.com",
        hint: "One per line. They share one certificate and one distribution.",
      },
      { name: "name", label: "Group name", optional: true, placeholder: "the first domain" },
      {
        name: "useDefaultCdn",
        label: "Distribution",
        options: [
          ["true", "The service's own"],
          ["false", "A new one"],
        ],
      },
    ],
    action: "Add domains",
    onSubmit: async ({ domains = "", useDefaultCdn, ...values }) => {
      const rest = { ...values, useDefaultCdn: useDefaultCdn === "true" };
      /** @type {Group} */
      const group = (await sendDomainNames(api, `${path}/domain-certificate-groups`, domains, rest)).body;
      go(`/groups/${group.id}`);
    },
  });
  return [table, h("details", {}, h("summary", {}, "Add a domain group"), create)];
}

/**
 * @param {View} view
 * @param {string} path Of the service.
 * @param {HTMLElement} place
 */
async function showEffectiveVariables({ api, signal }, path, place) {
  /** @type {(cursor: string | null) => Promise<Page<EffectiveVariable>>} */
  const load = (cursor) => api.list(`${path}/env-variables/effective`, "envVariables", cursor, signal);
  /** @type {Page<EffectiveVariable>} */
  const first = await load(null);
  fill(
    place,
    pagedTable({
      caption: "Effective variables",
      load,
      first,
      empty: empty("No variables."),
      columns: [
        { label: "Name", cell: ({ name }) => h("code", { class: "name" }, name) },
        { label: "Value", cell: ({ value, reference }) => valueCell(value, reference) },
        { label: "Kind", cell: ({ kind }) => kindName(kind) },
        {
          label: "From",
          cell: ({ from, source }) => `${from}, ${source === "api" ? "set by the API" : "configuration"}`,
        },
      ],
    }),
  );
}
