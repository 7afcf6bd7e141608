import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { tellAccount } from "../api/account-words.ts";
import { useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Fine, Quiet, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

export function AccountsPage() {
  const { may, reason } = useCan("manage accounts");
  const list = useList(readPages("awsAccounts", "list", {}), "awsAccounts");
  const { items, error } = list;
  const connect = may ? (
    <LinkButton look="primary" to={paths.newAccount()}>
      Connect an account
    </LinkButton>
  ) : (
    <Button look="primary" disabledReason={reason}>
      Connect an account
    </Button>
  );
  return (
    <Page
      title="Cloud accounts"
      lead="Slipway deploys everything into accounts of yours, by a role that you can take back."
      actions={connect}
    >
      {error === null ? null : <Problem error={error} />}
      {items === undefined && error === null ? <Skeleton lines={5} label="Loading accounts" /> : null}
      {items?.length === 0 ? (
        <Empty title="No cloud accounts yet">
          Connect the first. You create a stack there, which takes about a minute.
        </Empty>
      ) : null}
      {items === undefined || items.length === 0 ? null : (
        <Table
          caption="Cloud accounts"
          rows={items}
          keyOf={({ id }) => id}
          more={moreOf(list)}
          columns={COLUMNS}
        />
      )}
    </Page>
  );
}

const COLUMNS = [
  {
    label: "Name",
    cell: ({ id, name, givenId }: AwsAccount) => (
      <>
        <Link to={paths.account(id)}>{name}</Link>
        {givenId === name ? null : <Fine>{givenId}</Fine>}
      </>
    ),
  },
  {
    label: "Connection",
    wraps: true,
    cell: (account: AwsAccount) => {
      const { words, tone, next } = tellAccount(account);
      return (
        <>
          <Status of={account.status} words={words} tone={tone} />
          {next === null ? null : <Fine>{next}</Fine>}
        </>
      );
    },
  },
  {
    label: "AWS account",
    cell: ({ connectedAwsAccountId, expectedAwsAccountId }: AwsAccount) =>
      connectedAwsAccountId ??
      (expectedAwsAccountId === null ? (
        <Quiet>not known yet</Quiet>
      ) : (
        <Quiet>{expectedAwsAccountId}, expected</Quiet>
      )),
  },
  {
    label: "Last check",
    isShort: true,
    cell: ({ lastCheckAt }: AwsAccount) => <When at={lastCheckAt} otherwise="not yet" />,
  },
  { label: "Added", isShort: true, cell: ({ createdAt }: AwsAccount) => <When at={createdAt} /> },
];
