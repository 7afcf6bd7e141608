import { useNavigate } from "@tanstack/react-router";
import type { Scope } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { SCOPE_CHOICES } from "../api/user-rules.ts";
import { conditionsOf, PLATFORM_CHOICES } from "../api/workload-words.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { ChecksField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Empty } from "../ui/layout.tsx";

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
      lead="A job of CI then deploys without a key. Its platform signs for it, for 15 minutes at a time."
    >
      {users.length === 0 ? (
        <Empty
          title="A job acts as a service account"
          action={<LinkButton to={paths.newUser()}>Add a service account</LinkButton>}
        >
          There is none yet. Its role says what it may do, and the audit shows its actions under its name.
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
      <TextField label="Name" hint="What it is for. The audit shows it." {...form.field("name")} />
      <SelectField label="Where the job runs" options={PLATFORM_CHOICES} {...form.field("platform")} />
      {form.values.platform === "" ? (
        <TextField
          label="Issuer"
          hint="Who signs the tokens of its jobs: an address that begins with https://."
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
        hint="Without one, every branch and pull request is trusted."
        {...form.field("branch", "/conditions/ref")}
      />
      <TextArea
        label="Further conditions"
        hint="A claim of the token in each line, such as environment=production. A * at the end stands for any ending."
        isCode
        {...form.field("more", "/conditions/more")}
      />
      <SelectField
        label="It acts as"
        hint="The job may never do more than this service account."
        options={users}
        {...form.field("userId")}
      />
      <ChecksField label="What it may do" options={SCOPE_CHOICES} {...form.field("scopes")} />
      {projects.length === 0 ? null : (
        <ChecksField
          label="In which projects"
          hint="Nothing chosen: in all."
          options={projects.map(({ id, name }) => [id, name] as const)}
          {...form.field("projectIds")}
        />
      )}
    </FormBox>
  );
}
