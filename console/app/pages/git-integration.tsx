import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { GitIntegration, HookSecret } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellHealth, tellIntegration, tellToken } from "../api/git-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { GitDeliveries } from "./git-deliveries.tsx";
import { GitRepositories } from "./git-repositories.tsx";
import { Copyable } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { Empty, Facts, Fine, Row, Section, Skeleton, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";

/** One git host: its token and whether it works, its hook, and what is read from it. */
export function GitIntegrationPage() {
  const { integrationId } = useParams({ from: "/shell/git-integrations/$integrationId" });
  const integration = useRead(read("gitIntegrations", "get", integrationId));
  const { reason } = useCan("manage git");
  const { words, tone } = tellHealth(integration);
  return (
    <Page
      title={tellIntegration(integration)}
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
          <DeleteButton integration={integration} reason={reason} />
        </>
      }
    >
      <Stack>
        <LastCheck of={integration} />
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
      <Section title="Pushes">
        <p>With a webhook at the git host, a push deploys. Without one, people deploy by hand.</p>
        <Row>
          <HookButton integration={integration} reason={reason} />
        </Row>
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
  const { next } = tellHealth(integration);
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

function Users({ of: { provider, host } }: { readonly of: GitIntegration }) {
  const { data, error } = useLater(readAll("projects", "list", {}));
  if (data === undefined) return error === null ? <Skeleton lines={3} /> : <Problem error={error} />;
  const rows = data.projects.filter(
    ({ codeSource }) => codeSource.provider === provider && codeSource.host === host,
  );
  if (rows.length === 0) return <Empty title="No project yet" />;
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

function HookButton({ integration: { id }, reason }: Part) {
  const [hook, setHook] = useState<HookSecret | null>(null);
  return (
    <>
      <ConfirmButton
        label="Make a hook secret"
        look="normal"
        disabledReason={reason}
        title="Make a hook secret?"
        consequences={[
          "An address and a secret are shown once, which you enter at the git host.",
          "A secret that was made before is refused from then on.",
        ]}
        action="Make it"
        work={() => slipway.gitIntegrations.createHookSecret(id)}
        refreshes={["gitIntegrations"]}
        onDone={setHook}
      />
      {hook === null ? null : (
        <SecretOnce
          title="Enter this at the git host"
          what="the secret"
          secret={hook.secret}
          onDone={() => setHook(null)}
        >
          <p>Add a webhook for pushes at the repository or its group, with this address:</p>
          <Copyable text={hook.url} what="the address" />
          <p>And this secret:</p>
        </SecretOnce>
      )}
    </>
  );
}

function TokenForm({ integration: { id, provider }, reason }: Part) {
  const form = useForm({
    initial: { token: "" },
    submit: ({ token }) => slipway.gitIntegrations.update(id, { token: token.trim() }),
    refreshes: ["gitIntegrations"],
    beginsAnew: true,
    onDone: () => toast("The token was replaced. Slipway has tried it."),
  });
  return (
    <FormBox form={form} action="Replace token" refusal={reason}>
      <TextField
        label="New access token"
        type="password"
        hint={`${tellToken(provider)} It must reach every repository that the present one reaches.`}
        {...form.field("token")}
      />
    </FormBox>
  );
}

function DeleteButton({ integration, reason }: Part) {
  const navigate = useNavigate();
  const name = tellIntegration(integration);
  return (
    <ConfirmButton
      label="Delete"
      disabledReason={reason}
      title={`Delete the integration with ${name}?`}
      consequences={["Slipway reads no repository there any more.", "Pushes there deploy nothing."]}
      action="Delete integration"
      work={() => slipway.gitIntegrations.delete(integration.id)}
      refreshes={["gitIntegrations"]}
      onDone={() => navigate({ to: paths.git() })}
    />
  );
}
