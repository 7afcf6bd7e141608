import { useNavigate } from "@tanstack/react-router";
import type { CreateProjectRequest, GitProvider } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readConfig } from "../api/config-text.ts";
import { readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { PROVIDER_CHOICES } from "../api/git-words.ts";
import { paths } from "../paths.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Empty } from "../ui/layout.tsx";

const EXAMPLE = {
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
    },
  ],
};

type Values = {
  readonly name: string;
  readonly repoUrl: string;
  readonly provider: string;
  readonly host: string;
  readonly awsAccountId: string;
  readonly configType: string;
  readonly configFilePath: string;
  readonly configFileBranch: string;
  readonly config: string;
};

export function NewProjectForm() {
  const { awsAccounts } = useRead(readAll("awsAccounts", "list", {}));
  const { cloud } = useMe();
  const { reason } = useCan("manage projects");
  const navigate = useNavigate();
  const form = useForm({
    initial: {
      name: "",
      repoUrl: cloud === "sandbox" ? "https://git.sandbox.test/demo.git" : "",
      provider: "provider_a",
      host: "",
      awsAccountId: awsAccounts[0]?.id ?? "",
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
      config: JSON.stringify(EXAMPLE, null, 2),
    },
    submit: async (values) => await slipway.projects.create(bodyOf(values)),
    refreshes: ["projects", "environments", "services"],
    onDone: ({ id }) => navigate({ to: paths.project(id) }),
  });
  const { provider, configType } = form.values;
  return (
    <Page title="New project" crumbs={[["Projects", paths.projects()]]}>
      {awsAccounts.length === 0 ? (
        <Empty
          title="A project needs a cloud account to be deployed into."
          action={
            <LinkButton to={paths.newAccount()} look="primary">
              Connect a cloud account
            </LinkButton>
          }
        >
          Everything that Slipway deploys runs in an account of yours.
        </Empty>
      ) : (
        <FormBox form={form} action="Create project" refusal={reason}>
          <TextField label="Name" {...form.field("name")} placeholder="Shop" />
          <TextField
            label="Repository"
            {...form.field("repoUrl")}
            placeholder="https://github.com/acme/shop"
            hint={cloud === "sandbox" ? "This demo repository comes with the sandbox." : undefined}
          />
          <SelectField
            label="Git provider"
            {...form.field("provider", "/codeSource/provider")}
            options={PROVIDER_CHOICES}
          />
          {provider === "provider_b_self_hosted" ? (
            <TextField
              label="GitLab host"
              {...form.field("host", "/codeSource/host")}
              placeholder="gitlab.example.com"
            />
          ) : null}
          <SelectField
            label="Cloud account"
            {...form.field("awsAccountId")}
            options={awsAccounts.map(({ id, name, status }) => [
              id,
              status === "CONNECTED" ? name : `${name} (not connected)`,
            ])}
          />
          <SelectField
            label="Configuration"
            {...form.field("configType")}
            hint="Says which environments and services there are."
            options={[
              ["iac", "A file in the repository"],
              ["gui", "Entered here"],
            ]}
          />
          {configType === "iac" ? (
            <>
              <TextField label="File" {...form.field("configFilePath")} />
              <TextField label="Branch with the file" {...form.field("configFileBranch")} />
            </>
          ) : (
            <TextArea
              label="Environments and services"
              {...form.field("config")}
              rows={16}
              isCode
              hint={
                <>
                  JSON by the schema at <a href="/schema.json">/schema.json</a>, where all settings are
                  described.
                </>
              }
            />
          )}
        </FormBox>
      )}
    </Page>
  );
}

function bodyOf({ provider, host, config, configFilePath, configFileBranch, ...rest }: Values) {
  const source =
    rest.configType === "iac" ? { configFilePath, configFileBranch } : { config: readConfig(config) };
  return {
    ...rest,
    configType: rest.configType as CreateProjectRequest["configType"],
    codeSource: {
      provider: provider as GitProvider,
      ...(provider === "provider_b_self_hosted" ? { host } : {}),
    },
    ...source,
  };
}
