import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { describeAccount } from "../api/account-words.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { PermittedLink } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { When } from "../ui/time.tsx";

export function AccountsPage() {
  const { cloud } = useMe();
  const isHost = cloud === "host";
  const { may } = useCan("manage users");
  const list = useList(readPages("awsAccounts", "list", {}), "awsAccounts");
  const { items, error } = list;
  const connect = (
    <PermittedLink action="manage accounts" to={paths.newAccount()} isPrimary>
      Connect an account
    </PermittedLink>
  );
  return (
    <Page
      title="Cloud accounts"
      lead={
        isHost
          ? "Slipway deploys everything to this server. Each connection has its own domains and services."
          : "Slipway deploys everything into accounts of yours, by a role that you can take back."
      }
      actions={
        isHost && may ? (
          <>
            <LinkButton to={paths.server()}>This server</LinkButton>
            {items?.length === 0 ? null : connect}
          </>
        ) : items?.length === 0 ? undefined : (
          connect
        )
      }
    >
      {error === null ? null : <Problem error={error} />}
      {items === undefined && error === null ? <Skeleton lines={5} label="Loading accounts" /> : null}
      {items?.length === 0 ? (
        <Empty title="No cloud accounts yet" action={connect}>
          {isHost
            ? "Everything that you deploy runs on this server. To begin, connect its edge."
            : "Everything that you deploy runs in an account of yours. To connect one, an administrator of it creates a stack, which gives Slipway a role."}{" "}
          <a href="/docs#tag/cloud-accounts">API reference of accounts</a>
        </Empty>
      ) : null}
      {items === undefined || items.length === 0 ? null : (
        <Table
          caption="Cloud accounts"
          rows={items}
          keyOf={({ id }) => id}
          more={moreOf(list)}
          filterBy={({ name, givenId, connectedAwsAccountId }) =>
            `${name} ${givenId} ${connectedAwsAccountId ?? ""}`
          }
          columns={items.some((one) => describeAccount(one).next !== null) ? [...COLUMNS, TO_DO] : COLUMNS}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<AwsAccount>[] = [
  {
    label: "Name",
    cell: ({ id, name }) => <Link to={paths.account(id)}>{name}</Link>,
    sortBy: ({ name }) => name,
  },
  {
    label: "Connection",
    isShort: true,
    cell: (account) => {
      const { words, tone } = describeAccount(account);
      return <Status of={account.status} words={words} tone={tone} />;
    },
    sortBy: (account) => describeAccount(account).words,
  },
  {
    label: "AWS account",
    cell: ({ connectedAwsAccountId, expectedAwsAccountId }) =>
      connectedAwsAccountId ??
      (expectedAwsAccountId === null ? (
        <Quiet>not known yet</Quiet>
      ) : (
        <Quiet>{expectedAwsAccountId}, expected</Quiet>
      )),
  },
  { label: "Given id", cell: ({ givenId }) => <code>{givenId}</code>, sortBy: ({ givenId }) => givenId },
  {
    label: "Last check",
    isShort: true,
    cell: ({ lastCheckAt }) => <When at={lastCheckAt} otherwise="not yet" />,
  },
  timeColumn("Added", "createdAt"),
];

const TO_DO: Column<AwsAccount> = {
  label: "What to do",
  wraps: true,
  cell: (account) => describeAccount(account).next ?? <Quiet>nothing</Quiet>,
};
