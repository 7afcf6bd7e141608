import { useNavigate } from "@tanstack/react-router";
import type { GitProvider } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { PROVIDER_CHOICES } from "../api/git-words.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { TokenHint } from "../components/token-hint.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { SelectField, TextField } from "../ui/field.tsx";

export function NewGitForm() {
  const { reason } = useCan("manage git");
  const { cloud } = useMe();
  const navigate = useNavigate();
  const form = useForm({
    initial: { provider: "provider_a", host: "", token: cloud === "sandbox" ? "sandbox" : "" },
    submit: ({ provider, host, token }) =>
      slipway.gitIntegrations.create({
        provider: provider as GitProvider,
        token: token.trim(),
        ...(provider === "provider_b_self_hosted" ? { host: host.trim() } : {}),
      }),
    refreshes: ["gitIntegrations"],
    onDone: ({ id }) => navigate({ to: paths.gitIntegration(id) }),
  });
  const { provider } = form.values;
  return (
    <Page
      title="Add a git integration"
      crumbs={[["Git", paths.git()]]}
      lead="Slipway reads your repositories with an access token, which is stored encrypted and never shown."
    >
      <FormBox form={form} action="Add" refusal={reason}>
        <SelectField label="Git host" options={PROVIDER_CHOICES} {...form.field("provider")} />
        {provider === "provider_b_self_hosted" ? (
          <TextField label="Host name" placeholder="gitlab.example.com" {...form.field("host")} />
        ) : null}
        <TextField
          label="Access token"
          type="password"
          hint={cloud === "sandbox" ? "In the sandbox, any token works." : <TokenHint provider={provider} />}
          {...form.field("token")}
        />
      </FormBox>
    </Page>
  );
}
