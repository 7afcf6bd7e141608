/** @import { AuditEntry, Page, User, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { makeForm } from "../parts/form.js";
import { empty, pageHead } from "../parts/page.js";
import { pagedTable } from "../parts/table.js";
import { when } from "../parts/time.js";

/**
 * The names of what was set, or the changed fields with their values before and after.
 * @param {AuditEntry["details"]} details
 */
function describeChange(details) {
  if (details === null) return "–";
  const { names, before = {}, after = {} } = details;
  if (names !== undefined) return names.join(", ");
  return Object.entries(after)
    .map(
      ([field, value]) =>
        `${field}: ${field in before ? `${before[field] ?? "none"} → ` : ""}${value ?? "none"}`,
    )
    .join(", ");
}

/** @param {View} view */
export async function showAudit({ api, signal }) {
  /** @type {Page<User>} */
  const users = await api.list("/v1/users", "users", null, signal);
  const names = new Map(users.items.map(({ id, name }) => [id, name]));
  const list = h("div", {});

  /** @param {string} resourceId Empty: all resources. */
  const showList = async (resourceId) => {
    const path = `/v1/audit-entries?order=desc${resourceId === "" ? "" : `&resourceId=${encodeURIComponent(resourceId)}`}`;
    /** @type {(cursor: string | null) => Promise<Page<AuditEntry>>} */
    const load = (cursor) => api.list(path, "auditEntries", cursor, signal);
    list.replaceChildren(
      pagedTable({
        caption: "Audit entries, newest first",
        load,
        first: await load(null),
        empty: empty("No entries for this resource."),
        columns: [
          { label: "When", cell: ({ at }) => when(at) },
          { label: "What", cell: ({ action }) => h("code", {}, action) },
          { label: "Change", cell: ({ details }) => describeChange(details) },
          { label: "Resource", cell: ({ resourceId }) => h("code", { class: "id" }, resourceId) },
          { label: "Who", cell: ({ userId }) => names.get(userId) ?? h("code", { class: "id" }, userId) },
          { label: "From", cell: ({ sourceAddress }) => sourceAddress ?? "–" },
          { label: "Request", cell: ({ requestId }) => h("code", { class: "id" }, requestId) },
        ],
      }),
    );
  };
  await showList("");
  const filter = makeForm({
    isInline: true,
    fields: [
      {
        name: "resourceId",
        label: "Resource id",
        placeholder: "dom_…",
        pointer: "query/resourceId",
      },
    ],
    action: "Show",
    onSubmit: ({ resourceId = "" }) => showList(resourceId),
  });
  return [
    pageHead({
      title: "Audit",
      lead: "Every change: who made it and when. Values of variables are never recorded.",
    }),
    filter,
    list,
  ];
}
