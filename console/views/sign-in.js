/** @import { Problem } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { h } from "../dom.js";
import { makeForm } from "../parts/form.js";
import { problemBox } from "../parts/problem.js";

const UNKNOWN_KEY = {
  title: "Slipway does not know this key",
  detail: "It is mistyped, cut off, or was revoked. An admin of your organization can create a new one.",
};

/** @type {Problem} */
const NO_KEY = {
  title: "This is no API key",
  detail: "An API key has printable ASCII characters only, and no spaces. Copy it again, whole.",
  status: 401,
  code: null,
  type: null,
  requestId: null,
  errors: [],
};

/**
 * @param {{ problem: Problem | null, onKey: (key: string) => Promise<void> }} options
 *   `problem`: why the key of before is refused now.
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
          hint: "The first start of Slipway printed one. It stays in this tab, and goes when you close it.",
        },
      ],
      action: "Sign in",
      onSubmit: async ({ key = "" }) => {
        // A header carries nothing else; fetch would not even send it.
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
