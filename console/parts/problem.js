/** @import { Problem } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { h } from "../dom.js";

/**
 * A problem with all its details: every fault, a link to the page about its code, and the request id for the log.
 * @param {Problem} problem
 */
export function problemBox({ title, detail, code, type, requestId, errors }) {
  // The detail of an invalid request repeats its first fault.
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
 * The problem of a failed call. Anything else is a bug in the console and is thrown again.
 * @param {unknown} error
 * @returns {Problem}
 */
export function toProblem(error) {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}
