import { useParams } from "@tanstack/react-router";
import type { Environment, Protection } from "../../../sdk/src/generated/types.ts";
import { DEPLOYERS_CHOICES } from "../api/access-words.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { SelectField } from "../ui/field.tsx";
import { Fine, Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";

/** Who may change what runs in an environment. */
export function EnvironmentProtectionForm() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/protection" });
  const environment = useRead(read("environments", "get", environmentId));
  return (
    <EnvironmentFrame environmentId={environmentId}>
      <Section title="Protection">
        <ProtectionForm key={environment.protection.deployers} environment={environment} />
      </Section>
    </EnvironmentFrame>
  );
}

function ProtectionForm({ environment }: { readonly environment: Environment }) {
  const { id, projectId, source } = environment;
  const { reason } = useCan("protect environments", { projectId, environmentId: id });
  const initial: { readonly deployers: string } = { deployers: environment.protection.deployers };
  const form = useForm({
    initial,
    submit: ({ deployers }) =>
      slipway.environments.update(id, {
        protection: { deployers: deployers as Protection["deployers"] },
      }),
    refreshes: ["environments", "me"],
    onDone: () => toast("Saved. It is in effect within five seconds."),
  });
  return (
    <FormBox
      form={form}
      action="Save"
      disabledReason={reason ?? (form.isDirty ? null : "Nothing is changed.")}
    >
      <SelectField
        label="Who deploys, sets variables and manages domains here"
        options={DEPLOYERS_CHOICES}
        hint="If only admins do, only they change the project's settings too, because those say what runs here."
        {...form.field("deployers", "/protection/deployers")}
      />
      {source.trigger === "push" ? (
        <Fine>
          A push to {source.branch} deploys here, whoever pushes. Protect the branch at the git host too.
        </Fine>
      ) : null}
    </FormBox>
  );
}
