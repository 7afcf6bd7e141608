import type { GitHookDelivery, GitHookOutcome } from "../../../sdk/src/generated/types.ts";
import { readPages, useList } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Fine, Skeleton, type Tone } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

/** What the API's outcomes mean to people; the reason is said beside. */
const OUTCOMES: Readonly<Record<GitHookOutcome, readonly [string, Tone]>> = {
  STARTED: ["Deployed", "good"],
  NO_PUSH: ["No push", "calm"],
  BRANCH_NOT_DEPLOYED: ["Branch not deployed", "calm"],
  NOT_HEAD: ["Outrun by a later push", "calm"],
  REPEATED: ["Repeated", "calm"],
  ALREADY_DEPLOYED: ["Already deployed", "calm"],
  SIGNATURE_WRONG: ["Wrong signature", "bad"],
  TOO_LARGE: ["Too large", "bad"],
  FAILED: ["Failed", "bad"],
};

const SHORT_HASH = 7;

const COLUMNS: readonly Column<GitHookDelivery>[] = [
  { label: "When", cell: ({ receivedAt }) => <When at={receivedAt} /> },
  {
    label: "What",
    wraps: true,
    cell: ({ repositoryUrl, branch, commitHash }) => (
      <>
        {repositoryUrl.replace(/^https:\/\//, "")}
        {branch === null ? null : (
          <Fine>
            {branch} <code>{commitHash?.slice(0, SHORT_HASH)}</code>
          </Fine>
        )}
      </>
    ),
  },
  {
    label: "What came of it",
    wraps: true,
    cell: ({ outcome, reason, deploymentIds }) => (
      <>
        <OutcomeStatus of={outcome} />
        {reason === null ? null : <Fine>{reason}</Fine>}
        {deploymentIds.map((id) => (
          <Fine key={id}>
            <Link to={paths.deployment(id)}>The deployment</Link>
          </Fine>
        ))}
      </>
    ),
  },
];

function OutcomeStatus({ of }: { readonly of: GitHookOutcome }) {
  const [words, tone] = OUTCOMES[of];
  return <Status of={of} words={words} tone={tone} />;
}

/** What the git host delivered, newest first. */
export function GitDeliveries({ integrationId }: { readonly integrationId: string }) {
  const list = useList(
    readPages("gitIntegrations", "listDeliveries", integrationId, { order: "desc" }),
    "deliveries",
  );
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the deliveries" />;
  if (list.items.length === 0)
    return (
      <Empty title="Nothing was delivered">
        Make a hook secret, and enter it at the git host. What it then sends is listed here for 30 days.
      </Empty>
    );
  return (
    <Table
      caption="Deliveries of the git host"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}
