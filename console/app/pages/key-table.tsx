import type { ApiKey } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { isExpired, tellScopes } from "../api/user-rules.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Badge, Empty, Fine, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useNow, When } from "../ui/time.tsx";

const MINUTE_MS = 60_000;

/** API keys. @param props.userId those of one user; all if it is not given */
export function KeyTable({ userId }: { readonly userId?: string }) {
  const now = useNow(MINUTE_MS);
  const list = useList(readPages("apiKeys", "list", {}), "apiKeys");
  const users = useLater(readAll("users", "list", {}), { isWanted: userId === undefined });
  const projects = useLater(readAll("projects", "list", {}));
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the keys" />;
  const userNames = new Map(users.data?.users.map(({ id, name }) => [id, name]));
  const projectNames = new Map(projects.data?.projects.map(({ id, name }) => [id, name]));
  const rows = list.items.filter((key) => userId === undefined || key.userId === userId);
  if (rows.length === 0 && !list.hasMore)
    return (
      <Empty
        title="No keys"
        action={
          <LinkButton to={paths.newKey()} search={{ userId }}>
            Create a key
          </LinkButton>
        }
      >
        Without a key, this user cannot sign in, unless an identity provider knows them.
      </Empty>
    );
  const owner: Column<ApiKey> = {
    label: "User",
    cell: (key) => <Link to={paths.user(key.userId)}>{userNames.get(key.userId) ?? "A user"}</Link>,
  };
  const columns: readonly Column<ApiKey>[] = [
    {
      label: "Key",
      cell: ({ name, prefix }) => (
        <>
          {name}
          <Fine>
            <code>{prefix}…</code>
          </Fine>
        </>
      ),
    },
    ...(userId === undefined ? [owner] : []),
    { label: "May", wraps: true, cell: tellScopes },
    { label: "Projects", cell: ({ projectIds }) => tellProjects(projectIds, projectNames) },
    { label: "Last used", isShort: true, cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    {
      label: "Expires",
      isShort: true,
      cell: (key) => (isExpired(key, now) ? <Badge tone="bad">Expired</Badge> : <When at={key.expiresAt} />),
    },
    { label: "Created", isShort: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    { label: "", cell: (key) => <DeleteKey of={key} /> },
  ];
  return (
    <Table caption="API keys" columns={columns} rows={rows} keyOf={({ id }) => id} more={moreOf(list)} />
  );
}

function tellProjects(ids: readonly string[] | null, names: ReadonlyMap<string, string>): string {
  if (ids === null) return "All";
  return ids.map((id) => names.get(id) ?? "a deleted one").join(", ");
}

function DeleteKey({ of: { id, name } }: { readonly of: ApiKey }) {
  const { reason } = useCan("manage keys");
  return (
    <ConfirmButton
      label="Delete"
      name={`Delete ${name}`}
      size="small"
      disabledReason={reason}
      title={`Delete the key ${name}?`}
      consequences={["Whatever uses it is refused within seconds.", "Sessions that began with it end."]}
      action="Delete key"
      work={() => slipway.apiKeys.delete(id)}
      refreshes={["apiKeys", "sessions"]}
    />
  );
}
