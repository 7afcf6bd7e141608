import type { Preview } from "../../../sdk/src/generated/types.ts";
import { type Held, useHeld, WAITING_FORKS } from "../api/approvals.ts";
import { titleOfPreview } from "../api/preview-words.ts";
import { useRead } from "../api/query.ts";
import { GitLink } from "../components/git-link.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { Empty, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { ApprovePreview } from "./preview-actions.tsx";

/** What waits for the user's approval, what the user has asked of others, and what waits for others. */
export function ApprovalsPage() {
  const held = useHeld();
  const forks = useRead(WAITING_FORKS).previews;
  const yours = held.filter(({ mayDecide }) => mayDecide);
  const asked = held.filter(({ isOwn }) => isOwn);
  const others = held.filter(({ isOwn, mayDecide }) => !isOwn && !mayDecide);
  return (
    <Page title="Approvals" lead="Deployments that begin after a person approves them.">
      {held.length + forks.length === 0 ? (
        <Empty
          title="Nothing waits for an approval"
          action={<LinkButton to={paths.projects()}>Go to projects</LinkButton>}
        >
          An environment can ask for a second person before each deployment. An admin of the project sets that
          on the environment’s page, under Protection. Commits of forks wait here too.
        </Empty>
      ) : (
        <>
          {held.length === 0 ? null : (
            <Group title="Waiting for you" of={yours} empty="Nothing waits for you." />
          )}
          {asked.length === 0 ? null : <Group title="Asked by you" of={asked} />}
          {others.length === 0 ? null : <Group title="Waiting for others" of={others} />}
          {forks.length === 0 ? null : <Forks previews={forks} />}
        </>
      )}
    </Page>
  );
}

/** Each commit of another repository needs an approval before it is built. */
function Forks({ previews }: { readonly previews: readonly Preview[] }) {
  return (
    <Section title={`Commits of forks (${previews.length})`}>
      <Table
        caption="Commits of forks"
        rows={previews}
        keyOf={({ id }) => id}
        columns={[
          {
            label: "Pull request",
            share: 34,
            cell: (preview) =>
              preview.pullRequest === null ? (
                titleOfPreview(preview)
              ) : (
                <GitLink url={preview.pullRequest.url}>{titleOfPreview(preview)}</GitLink>
              ),
          },
          {
            label: "Repository",
            share: 22,
            cell: ({ pullRequest }) => pullRequest?.headRepository ?? "hidden",
          },
          { label: "Commit", share: 12, cell: ({ commitHash }) => <code>{commitHash.slice(0, 7)}</code> },
          { label: "Since", share: 14, cell: ({ updatedAt }) => <When at={updatedAt} /> },
          { label: "", cell: (preview) => <Actions preview={preview} /> },
        ]}
      />
    </Section>
  );
}

function Actions({ preview }: { readonly preview: Preview }) {
  return (
    <>
      <ApprovePreview preview={preview} /> <Link to={paths.project(preview.projectId)}>Project</Link>
    </>
  );
}

function Group({
  title,
  of: held,
  empty,
}: {
  readonly title: string;
  readonly of: readonly Held[];
  readonly empty?: string;
}) {
  return (
    <Section title={held.length === 0 ? title : `${title} (${held.length})`}>
      {held.length === 0 ? <p>{empty}</p> : null}
      {held.map((one) => (
        <ApprovalCard key={`${one.deployment.id} ${one.approval.environmentId}`} held={one} />
      ))}
    </Section>
  );
}
