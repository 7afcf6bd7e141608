import { useNavigate } from "@tanstack/react-router";
import { OWN_CLOUDS } from "../api/own-cloud.ts";
import { givenIdOf } from "../api/account-words.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { AccountTerms } from "../components/account-terms.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/layout.tsx";

export function NewAccountForm() {
  const { reason } = useCan("manage accounts");
  const { cloud } = useMe();
  const navigate = useNavigate();
  const name = cloud === "aws" ? "" : OWN_CLOUDS[cloud].name;
  const form = useForm({
    initial: { name, givenId: givenIdOf(name), expectedAwsAccountId: "" },
    submit: ({ givenId, name, expectedAwsAccountId }) =>
      slipway.awsAccounts.create({
        givenId: givenId.trim(),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(expectedAwsAccountId.trim() === "" ? {} : { expectedAwsAccountId: expectedAwsAccountId.trim() }),
      }),
    tell: (fault) => {
      if (fault.path === "/expectedAwsAccountId") return "An AWS account has 12 digits.";
      if (fault.path === "/givenId" && fault.code !== "TOO_LONG")
        return "Give it at least one letter or digit, and nothing but letters, digits, - and _.";
      return null;
    },
    refreshes: ["awsAccounts"],
    onDone: ({ id }) => navigate({ to: paths.account(id) }),
  });
  const { values } = form;
  // The id follows the name until the user has written one.
  const isOwn = values.givenId !== givenIdOf(values.name);
  return (
    <Page
      title="Connect a cloud account"
      crumbs={[["Cloud accounts", paths.accounts()]]}
      lead={
        cloud === "host"
          ? "Name the connection. The next page connects this server's edge."
          : "Name the connection. The next page leads to the stack that gives Slipway a role in the account."
      }
    >
      <FormBox
        form={form}
        action="Connect account"
        refusal={reason}
        onCancel={() => void navigate({ to: paths.accounts() })}
      >
        <TextField
          label="Name"
          placeholder="Acme production"
          hint="What people read."
          {...form.field("name")}
          onChange={(next) => form.set({ name: next, ...(isOwn ? {} : { givenId: givenIdOf(next) }) })}
        />
        <TextField
          label="Given id"
          placeholder="acme-production"
          hint="For programs: letters, digits, - and _. No other account of your organization has it."
          {...form.field("givenId")}
        />
        {cloud === "host" ? null : (
          <TextField
            label="AWS account"
            isOptional
            placeholder="123456789012"
            inputMode="numeric"
            hint="12 digits. If you give it, a stack in any other account is refused."
            {...form.field("expectedAwsAccountId")}
          />
        )}
      </FormBox>
      <Section title="What it takes">
        <AccountTerms />
      </Section>
    </Page>
  );
}
