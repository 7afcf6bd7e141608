/** @import { Child } from "../dom.js" */
/** @import { Problem } from "../api-types.ts" */
import { h } from "../dom.js";
import { uniqueId } from "./unique-id.js";
import { problemBox, toProblem } from "./problem.js";

/**
 * @typedef {{
 *   readonly name: string,
 *   readonly label: string,
 *   readonly hint?: Child,
 *   readonly kind?: "text" | "email" | "password" | "lines" | "code",
 *   readonly value?: string,
 *   readonly placeholder?: string,
 *   readonly optional?: boolean,
 *   readonly isMasked?: boolean,
 *   readonly options?: readonly (readonly [string, string])[],
 *   readonly pointer?: string,
 *   readonly shownIf?: (values: Values) => boolean,
 * }} Field  `options` makes a select of [value, words]. `pointer` is where a fault of this field is in
 *   the body, by default `/name`.
 */
/** @typedef {{ readonly [name: string]: string }} Values */

/**
 * A form for one write of the API. A refusal is shown at the field that it is about, and as a whole.
 * @param {{
 *   fields: readonly Field[], action: string,
 *   onSubmit: (values: Values) => Promise<void>,
 *   before?: Child, isInline?: boolean,
 * }} options Hidden fields have no value; neither have empty optional ones.
 */
export function makeForm({ fields, action, onSubmit, before = null, isInline = false }) {
  const failure = h("div", { class: "failure" });
  const submit = h("button", { type: "submit", class: "primary" }, action);
  const rows = fields.map((field) => makeRow(field));
  const form = h(
    "form",
    { class: isInline ? "inline" : "stacked", novalidate: true },
    before,
    rows.map(({ element }) => element),
    failure,
    h("div", { class: "actions" }, submit),
  );

  const read = () => {
    /** @type {[string, string][]} */
    const values = [];
    for (const { field, control } of rows) {
      const value = field.kind === "lines" || field.kind === "code" ? control.value : control.value.trim();
      if (value !== "" || field.optional !== true) values.push([field.name, value]);
    }
    return Object.fromEntries(values);
  };
  const showRows = () => {
    const values = read();
    for (const { field, element } of rows) element.hidden = field.shownIf?.(values) === false;
  };
  const readShown = () => {
    const hidden = new Set(rows.filter(({ element }) => element.hidden).map(({ field }) => field.name));
    return Object.fromEntries(Object.entries(read()).filter(([name]) => !hidden.has(name)));
  };
  showRows();
  form.addEventListener("input", showRows);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submit.disabled) return;
    submit.disabled = true;
    failure.replaceChildren();
    for (const row of rows) row.setFault(null);
    void onSubmit(readShown())
      .catch((error) => showProblem(toProblem(error)))
      .finally(() => (submit.disabled = false));
  });

  /** @param {Problem} problem */
  const showProblem = (problem) => {
    failure.replaceChildren(problemBox(problem));
    for (const row of rows.toReversed()) {
      const pointer = row.field.pointer ?? `/${row.field.name}`;
      const faults = problem.errors.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
      if (faults.length === 0) continue;
      row.setFault(faults.map(({ message }) => message).join("; "));
      row.control.focus();
    }
  };
  return form;
}

/** @param {Field} field */
function makeRow(field) {
  const id = uniqueId("field");
  const fault = h("p", { class: "fault", id: `${id}-fault`, hidden: true });
  const hint = field.hint === undefined ? null : h("p", { class: "hint", id: `${id}-hint` }, field.hint);
  const control = makeControl(field, {
    id,
    name: field.name,
    placeholder: field.placeholder,
    "aria-describedby": hint === null ? `${id}-fault` : `${id}-hint ${id}-fault`,
  });
  const optional = field.optional === true && h("span", { class: "quiet" }, " optional");
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, field.label, optional),
    control,
    hint,
    fault,
  );
  return {
    field,
    control,
    element,
    /** @param {string | null} message */
    setFault(message) {
      fault.textContent = message;
      fault.hidden = message === null;
      if (message === null) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    },
  };
}

/**
 * @param {Field} field
 * @param {import("../dom.js").Props} props
 */
function makeControl(field, props) {
  if (field.options !== undefined) {
    const options = field.options.map(([value, words]) =>
      h("option", { value, selected: value === field.value }, words),
    );
    return h("select", props, options);
  }
  if (field.kind === "lines" || field.kind === "code") {
    const rows = field.kind === "code" ? "14" : "3";
    const masked = field.isMasked === true ? { class: "masked", autocomplete: "off" } : {};
    return h(
      "textarea",
      { ...props, ...masked, rows, spellcheck: "false", autocapitalize: "off" },
      field.value,
    );
  }
  const type = field.kind ?? "text";
  return h("input", {
    ...props,
    type,
    value: field.value,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  });
}
