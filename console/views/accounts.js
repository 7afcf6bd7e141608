/** @import { AwsAccount, Page, View } from "../api-types.ts" */
import { makeForm } from "../parts/form.js";
import { empty, link, pageHead, section } from "../parts/page.js";
import { badge } from "../parts/status.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showAccounts({ api, signal, isAdmin, go }) {
  /** @type {(cursor: string | null) => Promise<Page<AwsAccount>>} */
  const load = (cursor) => api.list("/v1/aws-accounts", "awsAccounts", cursor, signal);
  const table = pagedTable({
    caption: "Cloud accounts",
    load,
    first: await load(null),
    empty: empty(
      "No cloud accounts yet. Connect one below: Slipway deploys everything into your own account.",
    ),
    columns: [
      { label: "Name", cell: ({ id, name }) => link(`/accounts/${id}`, name) },
      { label: "Given id", cell: ({ givenId }) => givenId },
      { label: "Status", cell: ({ status }) => badge(status) },
      { label: "AWS account", cell: ({ connectedAwsAccountId }) => connectedAwsAccountId ?? "–" },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
    ],
  });
  const create = makeForm({
    fields: [
      {
        name: "givenId",
        label: "Given id",
        placeholder: "acme-production",
        hint: "Your own identifier, unique in your organization: letters, digits, - and _.",
      },
      { name: "name", label: "Name", optional: true, placeholder: "Acme production" },
      {
        name: "expectedAwsAccountId",
        label: "AWS account",
        optional: true,
        placeholder: "123456789012",
        hint: "12 digits. If set, only a stack in this account can connect.",
      },
    ],
    action: "Connect account",
    onSubmit: async (values) => {
      /** @type {AwsAccount} */
      const account = (await api.write("POST", "/v1/aws-accounts", values)).body;
      go(`/accounts/${account.id}`);
    },
  });
  return [
    pageHead({ title: "Cloud accounts" }),
    table,
    ...(isAdmin ? [section("Connect an account", create)] : []),
  ];
}
