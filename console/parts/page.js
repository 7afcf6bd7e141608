/** @import { Child } from "../dom.js" */
import { h } from "../dom.js";

/**
 * The head of a page: breadcrumb, title and actions.
 * @param {{ title: Child, crumbs?: readonly Child[], actions?: readonly Child[], lead?: Child }} parts
 */
export function pageHead({ title, crumbs = [], actions = [], lead = null }) {
  return h(
    "header",
    { class: "page-head" },
    crumbs.length > 0 &&
      h(
        "nav",
        { class: "crumbs", "aria-label": "Breadcrumb" },
        h(
          "ol",
          {},
          crumbs.map((crumb) => h("li", {}, crumb)),
        ),
      ),
    h(
      "div",
      { class: "title-row" },
      h("h1", { tabindex: "-1" }, title),
      h("div", { class: "actions" }, actions),
    ),
    lead !== null && h("p", { class: "lead" }, lead),
  );
}

/**
 * @param {string} title
 * @param {...(Child | readonly Child[])} children
 */
export function section(title, ...children) {
  return h("section", {}, h("h2", {}, title), ...children);
}

/**
 * Names and their values.
 * @param {readonly (readonly [string, Child | readonly Child[]])[]} pairs
 */
export function facts(pairs) {
  return h(
    "dl",
    { class: "facts" },
    pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? "–"))),
  );
}

/**
 * @param {string} path In the console, such as `/projects`.
 * @param {...(Child | readonly Child[])} children
 */
export function link(path, ...children) {
  return h("a", { href: `#${path}` }, ...children);
}

/**
 * @param {string} label
 * @param {() => void | Promise<void>} onPress While its promise is pending, the button ignores further clicks.
 * @param {import("../dom.js").Props} [props]
 */
export function button(label, onPress, props = {}) {
  const element = h("button", { type: "button", ...props }, label);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-busy") === "true") return;
    const done = onPress();
    if (done === undefined) return;
    element.setAttribute("aria-busy", "true");
    void done.finally(() => element.removeAttribute("aria-busy"));
  });
  return element;
}

/** @param {...(Child | readonly Child[])} children */
export function empty(...children) {
  return h("div", { class: "empty" }, ...children);
}
