import { Fragment } from "react";
import type { GitHookDelivery, GitHookOutcome } from "../../../sdk/src/generated/types.ts";
import { readPages, useList } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Skeleton, type Tone } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

/** The API's outcomes in words. */
const OUTCOMES: Readonly<Record<GitHookOutcome, readonly [string, Tone]>> = {
  STARTED: ["Deployed", "good"],
  NO_PUSH: ["No push", "calm"],
  BRANCH_NOT_DEPLOYED: ["Branch not deployed", "calm"],
  NOT_HEAD: ["Replaced by a later push", "calm"],
  REPEATED: ["Repeated", "calm"],
  ALREADY_DEPLOYED: ["Already deployed", "calm"],
  SIGNATURE_WRONG: ["Wrong signature", "bad"],
  TOO_LARGE: ["Too large", "bad"],
  FAILED: ["Failed", "bad"],
};

const SHORT_HASH = 7;

const COLUMNS: readonly Column<GitHookDelivery>[] = [
  { label: "Repository", cell: ({ repositoryUrl }) => repositoryUrl.replace(/^https:\/\//, "") },
  { label: "Branch", cell: ({ branch }) => branch ?? <Quiet>–</Quiet> },
  {
    label: "Commit",
    isShort: true,
    cell: ({ commitHash }) => <code>{commitHash?.slice(0, SHORT_HASH) ?? "–"}</code>,
  },
  { label: "Outcome", isShort: true, cell: ({ outcome }) => <OutcomeStatus of={outcome} /> },
  {
    label: "Reason",
    wraps: true,
    cell: ({ reason, deploymentIds }) => (
      <>
        {reason ?? (deploymentIds.length === 0 ? <Quiet>–</Quiet> : null)}
        {deploymentIds.map((id, index) => (
          <Fragment key={id}>
            {index === 0 && reason === null ? "" : " "}
            <Link to={paths.deployment(id)}>The deployment</Link>
          </Fragment>
        ))}
      </>
    ),
  },
  { label: "Received", isShort: true, cell: ({ receivedAt }) => <When at={receivedAt} /> },
];

function OutcomeStatus({ of }: { readonly of: GitHookOutcome }) {
  const [words, tone] = OUTCOMES[of];
  return <Status of={of} words={words} tone={tone} />;
}

/** The deliveries of the git host, newest first. */
export function GitDeliveries({ integrationId }: { readonly integrationId: string }) {
  const list = useList(
    readPages("gitIntegrations", "listDeliveries", integrationId, { order: "desc" }),
    "deliveries",
  );
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the deliveries" />;
  if (list.items.length === 0)
    return (
      <Empty title="No deliveries yet">
        Make a hook secret above, and enter it at the git host. Each push is then listed here for 30 days,
        with the deployment that it started.
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
