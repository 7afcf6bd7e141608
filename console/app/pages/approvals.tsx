import { type Held, useHeld } from "../api/approvals.ts";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { Empty, Section } from "../ui/layout.tsx";
import { ApprovalCard } from "./approval-card.tsx";

/** What waits for the user's approval, what the user has asked of others, and what waits for others. */
export function ApprovalsPage() {
  const held = useHeld();
  const yours = held.filter(({ mayDecide }) => mayDecide);
  const asked = held.filter(({ isOwn }) => isOwn);
  const others = held.filter(({ isOwn, mayDecide }) => !isOwn && !mayDecide);
  return (
    <Page title="Approvals" lead="Deployments that begin after a second person approves them.">
      {held.length === 0 ? (
        <Empty
          title="Nothing waits for an approval"
          action={<LinkButton to={paths.projects()}>Go to projects</LinkButton>}
        >
          An environment can ask for a second person before each deployment. An admin of the project sets that
          on the environment’s page, under Protection.
        </Empty>
      ) : (
        <>
          <Group title="Waiting for you" of={yours} empty="Nothing waits for you." />
          {asked.length === 0 ? null : <Group title="Asked by you" of={asked} />}
          {others.length === 0 ? null : <Group title="Waiting for others" of={others} />}
        </>
      )}
    </Page>
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
