import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import { paths } from "../paths.ts";
import { Quiet } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { Lasted, When } from "../ui/time.tsx";
import { Link } from "./link.tsx";
import { Status } from "./status.tsx";

type Props = {
  readonly caption: string;
  readonly rows: readonly DeploymentRow[];
  readonly more?: { readonly load: () => void; readonly isLoading: boolean } | null;
  /** Left out on the project's own pages. */
  readonly hasProject?: boolean;
};

/** Deployments, told apart by what was changed, where, and by whom. */
export function DeploymentsTable({ caption, rows, more = null, hasProject = true }: Props) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          label: "Change",
          cell: (row) => (
            <>
              <Link to={paths.deployment(row.id)}>{titleOf(row)}</Link>
              <br />
              <small>
                <code>{row.commit}</code> on {row.branch}
              </small>
            </>
          ),
        },
        { label: "Status", cell: ({ status }) => <Status of={status} /> },
        {
          label: hasProject ? "Project" : "Environment",
          cell: (row) => (
            <>
              {hasProject ? <Link to={paths.project(row.projectId)}>{row.projectName}</Link> : null}
              {hasProject ? <br /> : null}
              <small>{row.environments.map(({ name }) => name).join(", ") || "not known yet"}</small>
            </>
          ),
        },
        { label: "By", cell: byWhom },
        {
          label: "Took",
          cell: ({ startedAt, endedAt }) => <Lasted from={startedAt} to={endedAt} />,
        },
        { label: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
      ]}
    />
  );
}

/** The first line of the commit's message; the commit if there is none. */
export function titleOf({
  commitMessage,
  commit,
}: {
  readonly commitMessage: string | null;
  readonly commit: string;
}): string {
  const line = commitMessage?.split("\n", 1)[0]?.trim() ?? "";
  return line === "" ? `Commit ${commit}` : line;
}

function byWhom({ startedByName, commitAuthor, trigger }: DeploymentRow) {
  const how = { api: "by hand", push: "by a push", rollback: "rollback" }[trigger];
  return (
    <>
      {startedByName ?? commitAuthor ?? <Quiet>unknown</Quiet>}
      <br />
      <small>{how}</small>
    </>
  );
}
