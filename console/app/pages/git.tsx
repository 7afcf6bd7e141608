import { RefreshCw } from "lucide-react";
import type { GitIntegration } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { formatTokenStatus, integrationName } from "../api/git-words.ts";
import { readPages, useList } from "../api/query.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted, PermittedLink } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { When } from "../ui/time.tsx";
import { deleteIntegration } from "./git-writes.ts";

const COLUMNS: readonly Column<GitIntegration>[] = [
  {
    label: "Git host",
    cell: (integration) => (
      <Link to={paths.gitIntegration(integration.id)}>{integrationName(integration)}</Link>
    ),
    sortBy: integrationName,
  },
  {
    label: "Token",
    cell: (integration) => {
      const { words, tone } = formatTokenStatus(integration);
      return <Status of={integration.tokenStatus} words={words} tone={tone} />;
    },
    sortBy: (integration) => formatTokenStatus(integration).words,
  },
  { label: "Last check", isShort: true, cell: ({ lastCheckAt }) => <When at={lastCheckAt} /> },
  { label: "Token set", isShort: true, cell: ({ tokenSetAt }) => <When at={tokenSetAt} /> },
  timeColumn("Added", "createdAt"),
  { label: "", cell: (integration) => <Actions of={integration} /> },
];

/** For a reader who may manage git: others do not get the list. */
function Actions({ of: integration }: { readonly of: GitIntegration }) {
  const { id } = integration;
  return (
    <ActionMenu
      of={integrationName(integration)}
      actions={[
        {
          label: "Check the token now",
          icon: RefreshCw,
          write: {
            work: () => slipway.gitIntegrations.check(id),
            refreshes: ["gitIntegrations"],
            said: "Checked. The result is in the list.",
          },
        },
        copyItem("the id", id, "the integration's id"),
        deleteItem(deleteIntegration(integration)),
      ]}
    />
  );
}

/** The git hosts that Slipway reads repositories from. */
export function GitPage() {
  return (
    <Page
      title="Git"
      lead="Slipway reads repositories with a token of yours. With a hook at the git host, pushes deploy."
      actions={
        <PermittedLink action="manage git" to={paths.newGit()} isPrimary>
          Add a git integration
        </PermittedLink>
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
        A project needs one to read its repository. You need an access token of GitHub or GitLab.{" "}
        <DocsLink chapter="Git integrations" />
      </Empty>
    );
  return (
    <Table
      caption="Git integrations"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
      filterBy={integrationName}
    />
  );
}
