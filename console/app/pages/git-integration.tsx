import { useNavigate, useParams } from "@tanstack/react-router";
import type { GitIntegration } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { formatTokenStatus, integrationName } from "../api/git-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { ActionButton, ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { TokenHint } from "../components/token-hint.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { GitDeliveries } from "./git-deliveries.tsx";
import { HookSetup } from "./git-hook.tsx";
import { deleteIntegration } from "./git-writes.ts";
import { GitRepositories } from "./git-repositories.tsx";
import { TextField } from "../ui/field.tsx";
import { Empty, Facts, Fine, Section, Skeleton, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";

/** One git host: its token, its hook, its deliveries and its repositories. */
export function GitIntegrationPage() {
  const { integrationId } = useParams({ from: "/shell/git-integrations/$integrationId" });
  const integration = useRead(read("gitIntegrations", "get", integrationId));
  const { reason } = useCan("manage git");
  const { words, tone } = formatTokenStatus(integration);
  return (
    <Page
      title={integrationName(integration)}
      crumbs={[["Git", paths.git()]]}
      beside={<Status of={integration.tokenStatus} words={words} tone={tone} />}
      actions={
        <>
          <ActionButton
            label="Check now"
            disabledReason={reason}
            work={() => slipway.gitIntegrations.check(integrationId)}
            said="Checked. The result is on this page."
            refreshes={["gitIntegrations"]}
          />
          <Actions integration={integration} reason={reason} />
        </>
      }
    >
      <Stack>
        <LastCheck of={integration} />
        <RefusedReports of={integration} />
        <Facts
          of={[
            ["Last check", <When at={integration.lastCheckAt} />],
            ["Token set", <When at={integration.tokenSetAt} />],
            ["Added", <When at={integration.createdAt} />],
          ]}
        />
      </Stack>
      <Section title="Projects that use it">
        <Users of={integration} />
      </Section>
      <Section title="Deploy on push">
        <HookSetup integration={integration} reason={reason} />
      </Section>
      <Section title="Deliveries">
        <GitDeliveries integrationId={integrationId} />
      </Section>
      <Section title="Replace the token">
        <TokenForm integration={integration} reason={reason} />
      </Section>
      <Section title="Repositories that the token reaches">
        <GitRepositories integrationId={integrationId} />
      </Section>
    </Page>
  );
}

type Part = { readonly integration: GitIntegration; readonly reason: string | null };

function LastCheck({ of: integration }: { readonly of: GitIntegration }) {
  const { tokenStatus, lastCheckError } = integration;
  const { next } = formatTokenStatus(integration);
  if (lastCheckError === null) return null;
  return (
    <Notice isBad={tokenStatus === "REFUSED"} title={lastCheckError.message}>
      <p>{next}</p>
      <Fine>
        <code>{lastCheckError.code}</code> found <When at={integration.lastCheckAt} />
      </Fine>
    </Notice>
  );
}

/** Deployments do not depend on reports. */
function RefusedReports({ of: { reportError } }: { readonly of: GitIntegration }) {
  if (reportError === null) return null;
  return (
    <Notice title={reportError.message}>
      <p>The git host does not show all deployments and previews. {reportError.action}</p>
    </Notice>
  );
}

function Users({ of: { provider, host } }: { readonly of: GitIntegration }) {
  const { data, error } = useLater(readAll("projects", "list", {}));
  if (data === undefined) return error === null ? <Skeleton lines={3} /> : <Problem error={error} />;
  const rows = data.projects.filter(
    ({ codeSource }) => codeSource.provider === provider && codeSource.host === host,
  );
  if (rows.length === 0)
    return (
      <Empty title="No project yet" action={<LinkButton to={paths.newProject()}>New project</LinkButton>}>
        A project reads its repository with this token.
      </Empty>
    );
  return (
    <Table
      caption="Projects that use it"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: "Project", cell: ({ id, name }) => <Link to={paths.project(id)}>{name}</Link> },
        { label: "Repository", cell: ({ repoUrl }) => <code>{repoUrl}</code> },
        { label: "Status", isShort: true, cell: ({ status }) => <Status of={status} /> },
      ]}
    />
  );
}

function TokenForm({ integration: { id, provider }, reason }: Part) {
  const form = useForm({
    initial: { token: "" },
    submit: ({ token }) => slipway.gitIntegrations.update(id, { token: token.trim() }),
    refreshes: ["gitIntegrations"],
    beginsAnew: true,
    onDone: () => toast("The token was replaced. Slipway checked it."),
  });
  return (
    <FormBox form={form} action="Replace token" refusal={reason}>
      <TextField
        label="New access token"
        type="password"
        hint={
          <>
            <TokenHint provider={provider} /> It must reach the repositories of all projects above.
          </>
        }
        {...form.field("token")}
      />
    </FormBox>
  );
}

function Actions({ integration, reason }: Part) {
  const navigate = useNavigate();
  return (
    <ActionMenu
      of={integrationName(integration)}
      actions={[
        copyItem("the id", integration.id, "the integration's id"),
        deleteItem(
          {
            ...deleteIntegration(integration),
            onDone: () => void navigate({ to: paths.git() }),
          },
          reason,
        ),
      ]}
    />
  );
}
