import type { GitIntegration } from "../../../sdk/src/generated/types.ts";
import { tellHealth, tellIntegration } from "../api/git-words.ts";
import { useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

const COLUMNS: readonly Column<GitIntegration>[] = [
  {
    label: "Git host",
    cell: (integration) => (
      <Link to={paths.gitIntegration(integration.id)}>{tellIntegration(integration)}</Link>
    ),
  },
  {
    label: "Token",
    cell: (integration) => {
      const { words, tone } = tellHealth(integration);
      return <Status of={integration.tokenStatus} words={words} tone={tone} />;
    },
  },
  { label: "Last check", isShort: true, cell: ({ lastCheckAt }) => <When at={lastCheckAt} /> },
  { label: "Token set", isShort: true, cell: ({ tokenSetAt }) => <When at={tokenSetAt} /> },
  { label: "Added", isShort: true, cell: ({ createdAt }) => <When at={createdAt} /> },
];

/** From where Slipway reads repositories. */
export function GitPage() {
  const { may } = useCan("manage git");
  return (
    <Page
      title="Git"
      lead="Slipway reads repositories with a token of yours, and hears of pushes from the git host."
      actions={
        may ? (
          <LinkButton look="primary" to={paths.newGit()}>
            Add a git integration
          </LinkButton>
        ) : undefined
      }
    >
      <Permitted action="manage git">
        <Integrations />
      </Permitted>
    </Page>
  );
}

function Integrations() {
  const list = useList(readPages("gitIntegrations", "list", {}), "gitIntegrations");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={3} label="Loading the git integrations" />;
  if (list.items.length === 0)
    return (
      <Empty
        title="No git integration yet"
        action={<LinkButton to={paths.newGit()}>Add the first git integration</LinkButton>}
      >
        A project needs one to read its repository. You need a token of your git host.
      </Empty>
    );
  return (
    <Table
      caption="Git integrations"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}
