/** @import { Page, User, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { askFirst } from "../parts/dialog.js";
import { makeForm } from "../parts/form.js";
import { button, pageHead, section } from "../parts/page.js";
import { problemBox, toProblem } from "../parts/problem.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/** @type {readonly (readonly [string, string])[]} */
const ROLES = [
  ["viewer", "Viewer: can read"],
  ["developer", "Developer: can also write"],
  ["admin", "Admin: can also manage users, keys, accounts and git"],
];

/** @param {View} view */
export async function showUsers({ api, signal, isAdmin, reload, notify }) {
  const failure = h("div", {});
  /** @type {(cursor: string | null) => Promise<Page<User>>} */
  const load = (cursor) => api.list("/v1/users", "users", cursor, signal);

  /** @param {User} user */
  const roleCell = (user) => {
    if (!isAdmin) return user.role;
    const options = ROLES.map(([role]) => h("option", { value: role, selected: role === user.role }, role));
    const select = h("select", { "aria-label": `Role of ${user.name}` }, options);
    select.addEventListener("change", () => {
      failure.replaceChildren();
      void api.write("PATCH", `/v1/users/${user.id}`, { role: select.value }).then(
        () => notify(`${user.name} now has the role ${select.value}.`),
        (/** @type {unknown} */ error) => {
          select.value = user.role;
          failure.replaceChildren(problemBox(toProblem(error)));
        },
      );
    });
    return select;
  };
  /** @param {User} user */
  const remove = (user) =>
    isAdmin &&
    button(
      "Delete",
      () =>
        askFirst({
          title: `Delete ${user.name}?`,
          text: "This also revokes the user's API keys.",
          action: "Delete user",
          onConfirm: async () => {
            await api.write("DELETE", `/v1/users/${user.id}`);
            reload();
          },
        }),
      { class: "danger-quiet small" },
    );
  const table = pagedTable({
    caption: "Users",
    load,
    first: await load(null),
    empty: null,
    columns: [
      { label: "Name", cell: ({ name }) => name },
      { label: "E-mail", cell: ({ email }) => email },
      { label: "Role", cell: roleCell },
      { label: "Git login", cell: ({ gitLogin }) => gitLogin ?? "–" },
      { label: "Created", cell: ({ createdAt }) => when(createdAt) },
      { label: "", cell: remove },
    ],
  });
  const create = makeForm({
    fields: [
      { name: "email", label: "E-mail", kind: "email" },
      { name: "name", label: "Name", optional: true },
      { name: "role", label: "Role", options: ROLES },
      {
        name: "gitLogin",
        label: "Login at the git provider",
        optional: true,
        hint: "Determines which repositories the user may create projects from.",
      },
    ],
    action: "Add user",
    onSubmit: async (values) => {
      await api.write("POST", "/v1/users", values);
      notify("User created. Next, create an API key for this user.");
      reload();
    },
  });
  return [pageHead({ title: "Users" }), failure, table, ...(isAdmin ? [section("Add a user", create)] : [])];
}
