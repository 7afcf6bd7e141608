/** @import { Child } from "../dom.js" */
/** @import { Page, RunStatus, Variable, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { askFirst } from "./dialog.js";
import { makeForm } from "./form.js";
import { button, empty } from "./page.js";
import { badge } from "./status.js";
import { pagedTable } from "./table.js";
import { when } from "./time.js";

/** The groups of the request that sets variables, except links. @type {readonly (readonly [string, string])[]} */
const KINDS = [
  ["plainText", "Plain text"],
  ["parameterStore", "Secret in Parameter Store"],
  ["secretsManager", "Secret in Secrets Manager"],
  ["fromParameterStore", "Your own parameter, by path"],
  ["fromSecretsManager", "Your own secret, by name or ARN"],
];
const SECRET_KINDS = new Set(["parameterStore", "secretsManager"]);

/** @param {string} kind */
export function kindName(kind) {
  if (kind === "fromService") return "From another service";
  return KINDS.find(([word]) => word === kind)?.[1] ?? kind;
}

/**
 * @param {string | null} value
 * @param {string | null} reference Where the value is stored, if it is never shown.
 */
export function valueCell(value, reference) {
  if (value !== null) return h("code", { class: "value" }, value);
  return reference === null
    ? h("span", { class: "quiet" }, "not shown")
    : h("code", { class: "value quiet" }, reference);
}

/**
 * The variables of an environment or a service, kept up to date, and a form to set one.
 * @param {View} view
 * @param {string} ownerPath Such as `/v1/services/svc_…`.
 * @param {() => void} [onNews] Called with every change.
 */
export async function variablesPanel(view, ownerPath, onNews) {
  const { api, signal, notify } = view;
  const path = `${ownerPath}/env-variables`;
  const list = h("div", {});
  const runs = h("div", { "aria-live": "polite" });

  /** @type {(cursor: string | null) => Promise<Page<Variable>>} */
  const load = (cursor) => api.list(path, "envVariables", cursor, signal);
  /** @param {Page<Variable>} page */
  const showList = (page) => fill(list, variablesTable(view, path, page, load));
  showList(await load(null));
  void follow({
    api,
    path: `${path}?limit=50`,
    signal,
    onNews: (/** @type {{ envVariables: readonly Variable[], nextCursor: string | null }} */ body) => {
      showList({ items: body.envVariables, nextCursor: body.nextCursor });
      onNews?.();
    },
  });

  const valueField = /** @type {const} */ ({ kind: "lines", pointer: "value" });
  const form = makeForm({
    fields: [
      { name: "name", label: "Name", placeholder: "LOG_LEVEL", pointer: "name" },
      { name: "kind", label: "Kind", options: KINDS, pointer: "kind" },
      { ...valueField, name: "value", label: "Value", shownIf: ({ kind = "" }) => !SECRET_KINDS.has(kind) },
      {
        ...valueField,
        name: "secret",
        label: "Secret value",
        isMasked: true,
        hint: "Stored in the cloud account. Slipway never shows it and never stores it unencrypted.",
        shownIf: ({ kind = "" }) => SECRET_KINDS.has(kind),
      },
    ],
    action: "Set variable",
    onSubmit: async ({ name = "", kind = "plainText", value, secret }) => {
      // A computed key, so that `__proto__` is a name like any other; the API decides whether it is allowed.
      const body = { [kind]: { [name]: secret ?? value ?? "" } };
      const { status, body: answer } = await api.write("POST", path, body);
      form.reset();
      form.dispatchEvent(new Event("input"));
      if (status === 200) return notify(`${name} is set.`);
      followRun(view, `${path}/status?runId=${encodeURIComponent(answer.runId)}`, name, runs);
    },
  });
  return h("div", {}, list, runs, h("details", {}, h("summary", {}, "Set a variable"), form));
}

/**
 * @param {View} view
 * @param {string} path Of the variables.
 * @param {Page<Variable>} first
 * @param {(cursor: string | null) => Promise<Page<Variable>>} load
 */
function variablesTable({ api, notify }, path, first, load) {
  /** @param {Variable} variable */
  const remove = ({ name, source }) =>
    source === "api" &&
    button(
      "Delete",
      () =>
        askFirst({
          title: `Delete ${name}?`,
          text: "If it is a secret, it is also removed from the cloud account.",
          action: "Delete variable",
          onConfirm: async () => {
            await api.write("DELETE", `${path}/${encodeURIComponent(name)}`);
            notify(`${name} is deleted.`);
          },
        }),
      { class: "danger-quiet small", "aria-label": `Delete ${name}`, "data-focus": `delete ${name}` },
    );
  return pagedTable({
    caption: "Variables",
    load,
    first,
    empty: empty("No variables yet."),
    columns: [
      { label: "Name", cell: ({ name }) => h("code", { class: "name" }, name) },
      {
        label: "Value",
        cell: ({ value, reference, fromService }) => shownValue(value, reference, fromService),
      },
      {
        label: "Kind",
        cell: ({ kind, source }) => [
          kindName(kind),
          source === "config" && h("small", {}, "from the configuration"),
        ],
      },
      { label: "State", cell: stateCell },
      { label: "Changed", cell: ({ updatedAt }) => when(updatedAt) },
      { label: "", cell: remove },
    ],
  });
}

/**
 * @param {string | null} value
 * @param {string | null} reference
 * @param {Variable["fromService"]} fromService
 */
function shownValue(value, reference, fromService) {
  return fromService === null ? valueCell(value, reference) : `${fromService.value} of ${fromService.id}`;
}

/**
 * @param {Variable} variable
 * @returns {readonly Child[]}
 */
function stateCell({ state, pending, lastError }) {
  return [
    badge(state),
    pending !== null && state === "STORED" && h("small", {}, "a new value is being stored"),
    lastError !== null && h("small", { class: "fault" }, lastError.message),
  ];
}

/**
 * @param {View} view
 * @param {string} path Of the run's status.
 * @param {string} name
 * @param {HTMLElement} place
 */
function followRun({ api, signal, notify }, path, name, place) {
  const box = h("div", { class: "run" });
  place.append(box);
  const over = new AbortController();
  void follow({
    api,
    path,
    signal: AbortSignal.any([signal, over.signal]),
    onGone: () => box.remove(),
    onNews: (/** @type {RunStatus} */ run) => {
      const failures = Object.entries(run.failedEnvVariables);
      if (run.isFinished && failures.length === 0) {
        box.remove();
        notify(`${name} is stored in the cloud account.`);
      } else {
        fill(box, runState(name, run, failures));
      }
      if (run.isFinished) over.abort();
    },
  });
}

/**
 * @param {string} name
 * @param {RunStatus} run
 * @param {readonly (readonly [string, { code: string, message: string }])[]} failures
 */
function runState(name, { isFinished, processedEnvVariables, totalExpectedEnvVars }, failures) {
  if (!isFinished) {
    const label = `Storing ${name} in the cloud account`;
    return h(
      "p",
      {},
      `${label}… `,
      h("progress", { value: processedEnvVariables, max: totalExpectedEnvVars, "aria-label": label }),
    );
  }
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("strong", {}, "Not stored"),
    h(
      "ul",
      {},
      failures.map(([failed, { code, message }]) =>
        h("li", {}, h("code", {}, failed), ` ${message} `, h("code", {}, code)),
      ),
    ),
  );
}
