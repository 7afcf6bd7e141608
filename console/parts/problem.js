/** @import { Problem } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { h } from "../dom.js";

/**
 * A problem with all that it says: every fault, the page about its code, and the id that finds it in the log.
 * @param {Problem} problem
 */
export function problemBox({ title, detail, code, type, requestId, errors }) {
  // The detail of an invalid request tells the first of its faults.
  const isSaidBelow = errors.some(({ message }) => detail.includes(message));
  const hasPage = code !== null && type !== null && /^\/(?:docs|sandbox)\/errors\//.test(type);
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("strong", {}, title),
    !isSaidBelow && h("p", {}, detail),
    errors.length > 0 &&
      h(
        "ul",
        {},
        errors.map(({ path, message }) =>
          h("li", {}, path === "" ? null : h("code", {}, path), " ", message),
        ),
      ),
    (code !== null || requestId !== null) &&
      h(
        "p",
        { class: "fine" },
        hasPage ? h("a", { href: type, target: "_blank", rel: "noopener" }, code) : code,
        requestId !== null && [code === null ? "" : " · ", "request ", h("code", {}, requestId)],
      ),
  );
}

/**
 * The problem of a failed call; what is no problem of the API is a defect of the console and goes on.
 * @param {unknown} error
 * @returns {Problem}
 */
export function toProblem(error) {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}
