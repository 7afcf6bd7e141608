/** @import { Child } from "../dom.js" */
import { h } from "../dom.js";
import { uniqueId } from "./unique-id.js";
import { problemBox, toProblem } from "./problem.js";

/**
 * Asks before something that cannot be undone. Escape and Cancel change nothing.
 * @param {{ title: string, text: Child, action: string, onConfirm: () => Promise<void> }} options
 */
export function askFirst({ title, text, action, onConfirm }) {
  const failure = h("div", {});
  const confirm = h("button", { type: "button", class: "danger" }, action);
  const cancel = h("button", { type: "button", autofocus: true }, "Cancel");
  const dialog = show(title, h("p", {}, text), failure, h("div", { class: "actions" }, cancel, confirm));
  cancel.addEventListener("click", () => dialog.close());
  confirm.addEventListener("click", () => {
    confirm.disabled = true;
    failure.replaceChildren();
    void onConfirm().then(
      () => dialog.close(),
      (error) => {
        confirm.disabled = false;
        failure.replaceChildren(problemBox(toProblem(error)));
      },
    );
  });
}

/**
 * Shows something that must be read before it disappears, such as a new key.
 * @param {string} title
 * @param {...Child} children
 */
export function tell(title, ...children) {
  const close = h("button", { type: "button", class: "primary" }, "Done");
  const dialog = show(title, ...children, h("div", { class: "actions" }, close));
  close.addEventListener("click", () => dialog.close());
}

/**
 * @param {string} title
 * @param {...Child} children
 */
function show(title, ...children) {
  const id = uniqueId("dialog");
  const dialog = h("dialog", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
