import { useParams } from "@tanstack/react-router";
import type { Deployers, Environment } from "../../../sdk/src/generated/types.ts";
import { APPROVERS_CHOICES, DEPLOYERS_CHOICES } from "../api/access-words.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Fine, Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";

/** The form for who may change what runs in an environment. */
export function EnvironmentProtectionForm() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/protection" });
  const environment = useRead(read("environments", "get", environmentId));
  return (
    <EnvironmentFrame environmentId={environmentId}>
      <Section title="Protection">
        <ProtectionForm key={JSON.stringify(environment.protection)} environment={environment} />
      </Section>
    </EnvironmentFrame>
  );
}

/** Covers a weekend. The server has the same default. */
const USUAL_HOURS = 72;

function ProtectionForm({ environment }: { readonly environment: Environment }) {
  const { id, projectId, source } = environment;
  const { reason } = useCan("protect environments", { projectId, environmentId: id });
  const { deployers, approval } = environment.protection;
  const initial: { readonly deployers: string; readonly approvers: string; readonly hours: string } = {
    deployers,
    approvers: approval?.approvers ?? "",
    hours: String(approval?.timeoutHours ?? USUAL_HOURS),
  };
  const form = useForm({
    initial,
    submit: (values) =>
      slipway.environments.update(id, {
        protection: {
          deployers: values.deployers as Deployers,
          approval:
            values.approvers === ""
              ? null
              : { approvers: values.approvers as Deployers, timeoutHours: Number(values.hours) },
        },
      }),
    refreshes: ["environments", "me"],
    onDone: () => toast("Saved. It is in effect within five seconds."),
  });
  return (
    <FormBox
      form={form}
      action="Save"
      refusal={reason}
      disabledReason={form.isDirty ? null : "Nothing is changed."}
    >
      <SelectField
        label="Who deploys, sets variables and manages domains here"
        options={DEPLOYERS_CHOICES}
        hint="If only admins do, only they change the project's settings too, because those say what runs here."
        {...form.field("deployers", "/protection/deployers")}
      />
      <SelectField
        label="Who approves deployments of others"
        options={APPROVERS_CHOICES}
        hint="A deployment waits until a user who did not start it approves it. Deployments that wait already continue to wait. If only admins approve, only they change the project's settings."
        {...form.field("approvers", "/protection/approval/approvers")}
      />
      {form.values.approvers === "" ? null : (
        <TextField
          label="Hours until a deployment without an approval is cancelled"
          inputMode="numeric"
          {...form.field("hours", "/protection/approval/timeoutHours")}
        />
      )}
      {source.trigger === "push" ? (
        <Fine>
          A push to {source.branch} deploys here, from every user of the git host. Protect the branch at the
          git host too.
        </Fine>
      ) : null}
    </FormBox>
  );
}
