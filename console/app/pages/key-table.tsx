import type { ApiKey } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useLater } from "../api/query.ts";
import { formatProjects, formatScopes, isExpired } from "../api/user-rules.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Badge, Empty, Fine, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { useNow, When } from "../ui/time.tsx";

const MINUTE_MS = 60_000;

/** API keys. @param props.userId those of one user; all if it is not given */
export function KeyTable({ userId }: { readonly userId?: string }) {
  const now = useNow(MINUTE_MS);
  const { data, error } = useLater(readAll("apiKeys", "list", {}));
  const users = useLater(readAll("users", "list", {}), { isWanted: userId === undefined });
  const projects = useLater(readAll("projects", "list", {}));
  const { reason } = useCan("manage keys");
  if (data === undefined)
    return error === null ? <Skeleton lines={4} label="Loading the keys" /> : <Problem error={error} />;
  const userNames = new Map(users.data?.users.map(({ id, name }) => [id, name]));
  const projectNames = new Map(projects.data?.projects.map(({ id, name }) => [id, name]));
  const ownerOf = (key: ApiKey) => userNames.get(key.userId) ?? "A user";
  const rows = data.apiKeys.filter((key) => userId === undefined || key.userId === userId);
  if (rows.length === 0)
    return (
      <Empty
        title="No keys"
        action={
          <LinkButton to={paths.newKey()} search={{ userId }}>
            Create the first key
          </LinkButton>
        }
      >
        Without a key, this user signs in only at an identity provider.{" "}
        <DocsLink chapter="Users and API keys" />
      </Empty>
    );
  const owner: Column<ApiKey> = {
    label: "User",
    cell: (key) => <Link to={paths.user(key.userId)}>{ownerOf(key)}</Link>,
    sortBy: ownerOf,
  };
  const columns: readonly Column<ApiKey>[] = [
    { label: "Key", cell: ({ name }) => name, sortBy: ({ name }) => name },
    { label: "Begins with", isShort: true, cell: ({ prefix }) => <code>{prefix}…</code> },
    ...(userId === undefined ? [owner] : []),
    { label: "Permissions", cell: formatScopes, sortBy: formatScopes },
    { label: "Projects", cell: ({ projectIds }) => formatProjects(projectIds, projectNames) },
    timeColumn("Last used", "lastUsedAt"),
    {
      label: "Expires",
      isShort: true,
      cell: (key) => (isExpired(key, now) ? <Badge tone="bad">Expired</Badge> : <When at={key.expiresAt} />),
      sortBy: ({ expiresAt }) => expiresAt ?? "",
    },
    timeColumn("Created", "createdAt"),
    { label: "", cell: (key) => <Actions of={key} reason={reason} /> },
  ];
  return (
    <>
      <Table
        caption="API keys"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        filterBy={(key) => `${key.name} ${key.prefix} ${ownerOf(key)}`}
      />
      {data.nextCursor === null ? null : <Fine>These are of the first {data.apiKeys.length} keys.</Fine>}
    </>
  );
}

function Actions({ of: { id, name }, reason }: { readonly of: ApiKey; readonly reason: string | null }) {
  return (
    <ActionMenu
      of={name}
      actions={[
        copyItem("the id", id, "the key's id"),
        deleteItem(
          {
            work: () => slipway.apiKeys.delete(id),
            refreshes: ["apiKeys", "sessions"],
            question: {
              title: `Delete the key ${name}?`,
              consequences: [
                "Programs and people that use it are refused within seconds.",
                "Sessions that began with it end.",
              ],
              action: "Delete key",
            },
          },
          reason,
        ),
      ]}
    />
  );
}
