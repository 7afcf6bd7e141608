import type { Session } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { readPages, useList } from "../api/query.ts";
import { announceSession } from "../api/session.ts";
import { formatBrowser } from "../api/user-rules.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { Empty, Quiet, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { When } from "../ui/time.tsx";

const COLUMNS: readonly Column<Session>[] = [
  {
    label: "Browser",
    cell: ({ userAgent, isCurrent }) => (
      <>
        {formatBrowser(userAgent)}
        {isCurrent ? <Quiet> · this browser</Quiet> : null}
      </>
    ),
    sortBy: ({ userAgent }) => formatBrowser(userAgent),
  },
  { label: "Signed in by", cell: ({ provider }) => provider ?? "API key" },
  { label: "Address", cell: ({ sourceAddress }) => sourceAddress ?? <Quiet>–</Quiet> },
  timeColumn("Signed in", "createdAt"),
  timeColumn("Last seen", "lastSeenAt"),
  { label: "Ends if unused", isShort: true, cell: ({ endsAt }) => <When at={endsAt} /> },
  { label: "", cell: (session) => <EndSession session={session} /> },
];

/** The browsers in which a user is signed in. */
export function SessionTable({ userId }: { readonly userId: string }) {
  const list = useList(readPages("sessions", "list", { userId, order: "desc" }), "sessions");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={3} label="Loading the sessions" />;
  if (list.items.length === 0)
    return <Empty title="No sessions">This user is not signed in to any browser.</Empty>;
  return (
    <Table
      caption="Sessions"
      columns={COLUMNS}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
      filterBy={({ userAgent, sourceAddress }) => `${formatBrowser(userAgent)} ${sourceAddress ?? ""}`}
    />
  );
}

function EndSession({ session: { id, isCurrent, userAgent } }: { readonly session: Session }) {
  return (
    <ConfirmButton
      label={isCurrent ? "Sign out" : "End"}
      name={isCurrent ? "Sign out here" : `End the session of ${formatBrowser(userAgent)}`}
      size="small"
      look="normal"
      title={isCurrent ? "Sign out of this browser?" : "End this session?"}
      consequences={[
        isCurrent ? "All tabs of this browser are signed out." : "That browser has to sign in again.",
      ]}
      action={isCurrent ? "Sign out" : "End it"}
      work={() => slipway.sessions.delete(id)}
      refreshes={["sessions"]}
      onDone={() => {
        if (isCurrent) announceSession("signed-out");
      }}
    />
  );
}
