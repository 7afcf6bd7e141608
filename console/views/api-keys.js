/** @import { ApiKey, Page, User, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { copyable } from "../parts/copy.js";
import { askFirst, tell } from "../parts/dialog.js";
import { makeForm } from "../parts/form.js";
import { button, pageHead, section } from "../parts/page.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/** @param {View} view */
export async function showApiKeys({ api, signal, reload, notify }) {
  /** @type {(cursor: string | null) => Promise<Page<ApiKey>>} */
  const load = (cursor) => api.list("/v1/api-keys", "apiKeys", cursor, signal);
  /** @type {[Page<ApiKey>, Page<User>]} */
  const [first, users] = await Promise.all([load(null), api.list("/v1/users", "users", null, signal)]);
  const names = new Map(users.items.map(({ id, name }) => [id, name]));
  /** @param {ApiKey} apiKey */
  const revoke = ({ id, name }) =>
    button(
      "Revoke",
      () =>
        askFirst({
          title: `Revoke ${name}?`,
          text: "Requests with this key are refused within five seconds.",
          action: "Revoke key",
          onConfirm: async () => {
            await api.write("DELETE", `/v1/api-keys/${id}`);
            reload();
          },
        }),
      { class: "danger-quiet small" },
    );
  const table = pagedTable({
    caption: "API keys",
    load,
    first,
    empty: null,
    columns: [
      { label: "Name", cell: ({ name }) => name },
      { label: "Prefix", cell: ({ prefix }) => h("code", {}, `${prefix}…`) },
      { label: "User", cell: ({ userId }) => names.get(userId) ?? userId },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
      { label: "", cell: revoke },
    ],
  });
  const create = makeForm({
    fields: [
      { name: "name", label: "Name", placeholder: "Shop CI" },
      {
        name: "userId",
        label: "User",
        optional: true,
        hint: "The key has the permissions of its user's role.",
        options: [
          ["", "You"],
          ...users.items.map(({ id, name, role }) => /** @type {const} */ ([id, `${name} (${role})`])),
        ],
      },
    ],
    action: "Create key",
    onSubmit: async (values) => {
      const { body } = await api.write("POST", "/v1/api-keys", values);
      reload();
      tell(
        `The key ${body.name}`,
        h("p", {}, "Copy it now. It is shown only once."),
        h("p", { class: "new-key" }, copyable(body.key, { what: "the key", notify })),
      );
    },
  });
  return [pageHead({ title: "API keys" }), table, section("Create a key", create)];
}
