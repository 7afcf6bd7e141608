/** @import { Problem } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { h } from "../dom.js";
import { makeForm } from "../parts/form.js";
import { problemBox } from "../parts/problem.js";

const UNKNOWN_KEY = {
  title: "Slipway does not know this key",
  detail: "The key is mistyped, incomplete or revoked. An admin of your organization can create a new one.",
};

/** @type {Problem} */
const NO_KEY = {
  title: "This is not an API key",
  detail: "An API key consists of printable ASCII characters without spaces. Copy the whole key again.",
  status: 401,
  code: null,
  type: null,
  requestId: null,
  errors: [],
};

/**
 * @param {{ problem: Problem | null, onKey: (key: string) => Promise<void> }} options
 *   `problem`: why the previous key was refused.
 */
export function showSignIn({ problem, onKey }) {
  return h(
    "main",
    { class: "alone" },
    h("p", { class: "brand" }, h("img", { src: "icon.svg", alt: "", width: "40", height: "40" }), "Slipway"),
    h("h1", {}, "Sign in"),
    problem === null ? null : problemBox(problem),
    makeForm({
      fields: [
        {
          name: "key",
          label: "API key",
          kind: "password",
          hint: "Slipway printed one at its first start. The key is kept in this tab only, until you close it.",
        },
      ],
      action: "Sign in",
      onSubmit: async ({ key = "" }) => {
        // An HTTP header cannot carry other characters, and fetch would refuse them.
        if (!/^[!-~]+$/.test(key)) throw new ProblemError(NO_KEY);
        try {
          await onKey(key);
        } catch (error) {
          if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
          throw new ProblemError({ ...error.problem, ...UNKNOWN_KEY });
        }
      },
    }),
    h("p", { class: "fine" }, h("a", { href: "/docs" }, "API reference")),
  );
}
