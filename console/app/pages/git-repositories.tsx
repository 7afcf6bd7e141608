import type { GitRepository } from "../../../sdk/src/generated/types.ts";
import { readPages, useList } from "../api/query.ts";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";

const COLUMNS: readonly Column<GitRepository>[] = [
  { label: "Repository", cell: ({ url, name }) => <Copyable text={url} what={`the address of ${name}`} /> },
  { label: "Default branch", cell: ({ defaultBranch }) => defaultBranch ?? "none yet" },
  { label: "Visibility", isShort: true, cell: ({ isPrivate }) => (isPrivate ? "Private" : "Public") },
];

/** The repositories that the git host shows to the token now, newest first. */
export function GitRepositories({ integrationId }: { readonly integrationId: string }) {
  const list = useList(
    readPages("gitIntegrations", "listRepositories", integrationId, { order: "desc" }),
    "repositories",
  );
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the repositories" />;
  if (list.items.length === 0)
    return (
      <Empty title="The token reaches no repository">
        Give it access to repositories at the git host, or replace it with a token that has it.
      </Empty>
    );
  return (
    <Table
      caption="Repositories that the token reaches"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ url }) => url}
      more={moreOf(list)}
      filterBy={({ name, url }) => `${name} ${url}`}
    />
  );
}
