/** @import { GitIntegration, Page, View } from "../api-types.ts" */
import { askFirst } from "../parts/dialog.js";
import { makeForm } from "../parts/form.js";
import { button, empty, pageHead, section } from "../parts/page.js";
import { PROVIDERS, providerName } from "../parts/providers.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showGitIntegrations({ api, signal, hasSandbox, reload, notify }) {
  /** @type {(cursor: string | null) => Promise<Page<GitIntegration>>} */
  const load = (cursor) => api.list("/v1/git-integrations", "gitIntegrations", cursor, signal);
  /** @param {GitIntegration} integration */
  const remove = ({ id, provider }) =>
    button(
      "Delete",
      () =>
        askFirst({
          title: `Delete the integration with ${providerName(provider)}?`,
          text: "Slipway will no longer be able to read repositories there.",
          action: "Delete integration",
          onConfirm: async () => {
            await api.write("DELETE", `/v1/git-integrations/${id}`);
            reload();
          },
        }),
      { class: "danger-quiet small" },
    );
  const table = pagedTable({
    caption: "Git integrations",
    load,
    first: await load(null),
    empty: empty("No git integrations yet. Slipway needs one to read a project's repository."),
    columns: [
      { label: "Provider", cell: ({ provider }) => providerName(provider) },
      { label: "Host", cell: ({ host }) => host ?? "–" },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
      { label: "", cell: remove },
    ],
  });
  const create = makeForm({
    fields: [
      { name: "provider", label: "Provider", options: PROVIDERS },
      {
        name: "host",
        label: "Host",
        placeholder: "gitlab.example.com",
        shownIf: ({ provider }) => provider === "provider_b_self_hosted",
      },
      {
        name: "token",
        label: "Access token",
        kind: "password",
        hint: hasSandbox
          ? "In the sandbox, any token works."
          : "The token must be able to read repositories and who has access to them. It is stored encrypted and never shown.",
      },
    ],
    action: "Add integration",
    onSubmit: async (values) => {
      await api.write("POST", "/v1/git-integrations", values);
      notify("Integration added.");
      reload();
    },
  });
  return [pageHead({ title: "Git integrations" }), table, section("Add an integration", create)];
}
