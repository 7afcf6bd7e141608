import { useNavigate } from "@tanstack/react-router";
import type { Scope } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { conditionsOf, PLATFORM_CHOICES } from "../api/workload-words.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { ComboField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { Empty } from "../ui/layout.tsx";
import { PermissionFields } from "./permission-fields.tsx";

type Values = {
  readonly name: string;
  readonly userId: string;
  readonly platform: string;
  readonly issuer: string;
  readonly repository: string;
  readonly branch: string;
  readonly more: string;
  readonly scopes: readonly string[];
  readonly projectIds: readonly string[];
};

export function NewWorkloadTrustForm() {
  const { users } = useRead(readAll("users", "list", { kind: "service" }));
  return (
    <Page
      title="Trust a job"
      crumbs={[["Workload trusts", paths.trusts()]]}
      lead="A trusted job of CI deploys without a key. Its platform signs a token that is valid for 15 minutes."
    >
      {users.length === 0 ? (
        <Empty
          title="A job acts as a service account"
          action={
            <LinkButton to={paths.newUser()} search={{ kind: "service" }}>
              Add a service account
            </LinkButton>
          }
        >
          There is none yet. Its role limits the job, and the audit shows the job's actions under its name.
        </Empty>
      ) : (
        <Fields users={users.map(({ id, name }) => [id, name] as const)} />
      )}
    </Page>
  );
}

function Fields({ users }: { readonly users: readonly (readonly [string, string])[] }) {
  const { reason } = useCan("manage workload trusts");
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const initial: Values = {
    name: "",
    userId: users[0]?.[0] ?? "",
    platform: PLATFORM_CHOICES[0]?.[0] ?? "",
    issuer: "",
    repository: "",
    branch: "main",
    more: "",
    scopes: ["deploy"],
    projectIds: [],
  };
  const form = useForm({
    initial,
    submit: ({ name, userId, platform, issuer, scopes, projectIds, ...conditions }) => {
      const of = platform === "" ? issuer.trim() : platform;
      return slipway.workloadTrusts.create({
        name: name.trim(),
        userId,
        issuer: of,
        audience: new URL(slipway.url).origin,
        conditions: conditionsOf(of, conditions),
        scopes: scopes as readonly Scope[],
        ...(projectIds.length === 0 ? {} : { projectIds }),
      });
    },
    refreshes: ["workloadTrusts"],
    onDone: ({ id }) => navigate({ to: paths.trust(id) }),
  });
  return (
    <FormBox form={form} action="Trust it" refusal={reason}>
      <FormSection title="Job">
        <TextField label="Name" hint="Shown in the audit, such as deploy shop." {...form.field("name")} />
        <SelectField label="Platform" options={PLATFORM_CHOICES} {...form.field("platform")} />
        {form.values.platform === "" ? (
          <TextField
            label="Issuer"
            hint="The address that signs the tokens of the jobs. It begins with https://."
            {...form.field("issuer")}
          />
        ) : null}
        <TextField
          label="Repository"
          hint="With its owner, such as acme/shop."
          {...form.field("repository", "/conditions")}
        />
        <TextField
          label="Branch"
          hint="If empty, every branch and pull request is trusted."
          {...form.field("branch", "/conditions/ref")}
        />
        <TextArea
          label="Further conditions"
          isOptional
          hint="A claim of the token in each line, such as environment=production. A * at the end matches any ending."
          isCode
          {...form.field("more", "/conditions/more")}
        />
      </FormSection>
      <FormSection title="Permissions">
        <ComboField
          label="Acts as"
          hint="The job never has more permissions than this service account."
          options={users.map(([value, label]) => ({ value, label }))}
          empty="No service account has this name."
          {...form.field("userId")}
        />
        <PermissionFields
          scopes={form.field("scopes")}
          projectIds={form.field("projectIds")}
          projects={projects}
          hint="Without a choice: in all projects."
        />
      </FormSection>
    </FormBox>
  );
}
