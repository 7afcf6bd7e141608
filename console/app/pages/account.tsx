/** A cloud account: its connection, what is missing, who uses it. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AwsAccount } from "../../../sdk/src/generated/types.ts";
import { missingPermissions, describeAccount } from "../api/account-words.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Notice } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { CopyableId } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { Empty, Facts, Fine, Section, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";
import { AccountConnect } from "./account-connect.tsx";
import { AccountEnd } from "./account-end.tsx";

export function AccountPage() {
  const { accountId } = useParams({ from: "/shell/accounts/$accountId" });
  const ofAccount = read("awsAccounts", "get", accountId);
  const account = useRead(ofAccount);
  useFollow(ofAccount, (options) => slipway.awsAccounts.watch(accountId, options));
  const { reason } = useCan("manage accounts");
  const navigate = useNavigate();
  const { words, tone } = describeAccount(account);
  return (
    <Page
      title={account.name}
      crumbs={[["Cloud accounts", paths.accounts()]]}
      beside={<Status of={account.status} words={words} tone={tone} />}
      actions={
        <ActionButton
          label="Check now"
          disabledReason={reason}
          work={() => slipway.awsAccounts.check(account.id)}
          said="Checking. The result appears here."
          refreshes={["awsAccounts"]}
        />
      }
    >
      <Stack>
        <AccountConnect account={account} reason={reason} />
        <LastCheck account={account} />
        <Facts
          of={[
            ["AWS account", account.connectedAwsAccountId],
            [
              "Expected account",
              account.connectedAwsAccountId === null ? account.expectedAwsAccountId : null,
            ],
            [
              "Role",
              account.roleArn === null ? null : <CopyableId text={account.roleArn} what="the role's ARN" />,
            ],
            ["Last check", <When at={account.lastCheckAt} otherwise="not yet" />],
            ["Given id", account.givenId],
            ["Id", <CopyableId text={account.id} what="the id" />],
            ["Added", <When at={account.createdAt} />],
          ]}
        />
      </Stack>
      <Users account={account} />
      <Rename key={`${account.name} ${account.givenId}`} account={account} reason={reason} />
      <AccountEnd account={account} reason={reason} onGone={() => void navigate({ to: paths.accounts() })} />
    </Page>
  );
}

function LastCheck({ account }: { readonly account: AwsAccount }) {
  const { lastCheckError } = account;
  if (lastCheckError === null) return null;
  const missing = missingPermissions(account);
  return (
    <Notice isBad={account.status === "DISCONNECTED"} title={lastCheckError.message}>
      {missing.length === 0 ? null : (
        <>
          <p>
            {missing.length === 1
              ? "This permission is missing:"
              : `${missing.length} permissions are missing:`}
          </p>
          <ul>
            {missing.map((one) => (
              <li key={one}>
                <code>{one}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <Fine>
        <code>{lastCheckError.code}</code> found <When at={account.lastCheckAt} />
      </Fine>
    </Notice>
  );
}

/** The projects that are deployed there: without it, they cannot be. */
function Users({ account }: { readonly account: AwsAccount }) {
  const { projects } = useRead(readAll("projects", "list", {}));
  const users = projects.filter(({ awsAccountId }) => awsAccountId === account.id);
  return (
    <Section title="Projects in this account">
      {users.length === 0 ? (
        <Empty
          title="No project uses it"
          action={
            account.status === "CONNECTED" ? (
              <LinkButton to={paths.newProject()}>Create a project</LinkButton>
            ) : undefined
          }
        >
          Projects that are deployed into this account are listed here.
        </Empty>
      ) : (
        <Table
          caption="Projects in this account"
          rows={users}
          keyOf={({ id }) => id}
          filterBy={({ name }) => name}
          columns={[
            {
              label: "Project",
              cell: ({ id, name }) => <Link to={paths.project(id)}>{name}</Link>,
              sortBy: ({ name }) => name,
            },
            { label: "State", isShort: true, cell: ({ status }) => <Status of={status} /> },
            { label: "Created", isShort: true, cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Rename({ account, reason }: { readonly account: AwsAccount; readonly reason: string | null }) {
  const [initial] = useState({ name: account.name, givenId: account.givenId });
  const form = useForm({
    initial,
    submit: (values) => slipway.awsAccounts.update(account.id, values),
    refreshes: ["awsAccounts"],
    onDone: () => toast("Saved."),
  });
  return (
    <Section title="Names">
      <FormBox
        form={form}
        action="Save"
        refusal={reason}
        disabledReason={form.isDirty ? null : "Nothing is changed."}
      >
        <TextField label="Name" hint="What people read." {...form.field("name")} />
        <TextField
          label="Given id"
          hint="Your own identifier: letters, digits, - and _."
          {...form.field("givenId")}
        />
      </FormBox>
    </Section>
  );
}
