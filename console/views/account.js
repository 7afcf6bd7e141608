/** @import { AwsAccount, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { copyable } from "../parts/copy.js";
import { askFirst } from "../parts/dialog.js";
import { makeForm } from "../parts/form.js";
import { button, facts, link, pageHead, section } from "../parts/page.js";
import { problemBox, toProblem } from "../parts/problem.js";
import { badge } from "../parts/status.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showAccount(view) {
  const { api, params, signal, isAdmin, go, notify } = view;
  const path = `/v1/aws-accounts/${params["id"]}`;
  /** @type {AwsAccount} */
  const account = await api.get(path, signal);
  const state = h("div", { "aria-live": "polite" });
  const failure = h("div", {});
  /** @param {AwsAccount} now */
  const showState = (now) => fill(state, connection(view, now, failure));
  showState(account);
  void follow({ api, path, signal, onNews: showState, onGone: () => go("/accounts") });

  const rename = makeForm({
    isInline: true,
    fields: [
      { name: "givenId", label: "Given id", value: account.givenId },
      { name: "name", label: "Name", value: account.name },
    ],
    action: "Save",
    onSubmit: async (values) => {
      await api.write("PATCH", path, values);
      notify("Saved.");
      view.reload();
    },
  });
  const check = button("Check now", async () => {
    failure.replaceChildren();
    try {
      await api.write("POST", `${path}/check`);
      notify("The check has started.");
    } catch (error) {
      failure.replaceChildren(problemBox(toProblem(error)));
    }
  });
  const remove = button(
    "Delete",
    () =>
      askFirst({
        title: `Delete ${account.name}?`,
        text: "This deletes the connection in Slipway only. The stack in the cloud account stays; delete it there.",
        action: "Delete connection",
        onConfirm: async () => {
          await api.write("DELETE", path);
          go("/accounts");
        },
      }),
    { class: "danger-quiet" },
  );
  return [
    pageHead({
      title: account.name,
      crumbs: [link("/accounts", "Cloud accounts")],
      actions: isAdmin ? [check, remove] : [],
    }),
    failure,
    state,
    ...(isAdmin ? [section("Rename", rename)] : []),
  ];
}

/**
 * @param {View} view
 * @param {AwsAccount} account
 * @param {HTMLElement} failure
 */
function connection({ notify, ...view }, account, failure) {
  const { lastCheckError } = account;
  return [
    facts([
      ["Status", badge(account.status)],
      ["AWS account", account.connectedAwsAccountId],
      ["Expected account", account.connectedAwsAccountId === null ? account.expectedAwsAccountId : null],
      [
        "Role",
        account.roleArn === null ? null : copyable(account.roleArn, { what: "the role's ARN", notify }),
      ],
      ["Given id", account.givenId],
      ["Id", copyable(account.id, { what: "the id", notify })],
      ["Last check", when(account.lastCheckAt)],
      ["Created", when(account.createdAt)],
    ]),
    lastCheckError !== null &&
      h(
        "div",
        { class: "problem" },
        h("strong", {}, lastCheckError.code),
        h("p", {}, lastCheckError.message),
      ),
    account.status !== "CONNECTED" && nextStep({ notify, ...view }, account, failure),
  ];
}

/**
 * What the customer does to connect the account.
 * @param {View} view
 * @param {AwsAccount} account
 * @param {HTMLElement} failure
 */
function nextStep({ api, hasSandbox, notify }, account, failure) {
  const stackLink = account.cloudStack?.consoleUrl;
  const create = button(
    "Create the stack in the sandbox",
    async () => {
      failure.replaceChildren();
      try {
        await api.write("POST", "/sandbox/stacks", { ServiceId: account.id });
        notify("The stack is being created.");
      } catch (error) {
        failure.replaceChildren(problemBox(toProblem(error)));
      }
    },
    { "data-focus": "stack" },
  );
  return h(
    "div",
    { class: "next" },
    h("h2", {}, "Next: create the stack"),
    h(
      "p",
      {},
      "Create the stack in the cloud account. It gives Slipway access. This page updates automatically: the status becomes Connected once Slipway has verified the role.",
    ),
    h(
      "div",
      { class: "actions" },
      stackLink !== undefined &&
        h(
          "a",
          { class: "button primary", href: stackLink, target: "_blank", rel: "noopener" },
          "Open the stack console",
        ),
      hasSandbox && create,
    ),
  );
}
