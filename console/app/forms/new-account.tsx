import { useNavigate } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { TextField } from "../ui/field.tsx";

export function NewAccountForm() {
  const { reason } = useCan("manage accounts");
  const navigate = useNavigate();
  const form = useForm({
    initial: { givenId: "", name: "", expectedAwsAccountId: "" },
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
  return (
    <Page
      title="Connect a cloud account"
      crumbs={[["Cloud accounts", paths.accounts()]]}
      lead="The next page leads to the stack that gives Slipway a role in the account."
    >
      <FormBox
        form={form}
        action="Connect account"
        refusal={reason}
        onCancel={() => void navigate({ to: paths.accounts() })}
      >
        <TextField
          label="Given id"
          placeholder="acme-production"
          hint="Your own identifier: letters, digits, - and _. No other account of your organization has it."
          {...form.field("givenId")}
        />
        <TextField
          label="Name"
          isOptional
          placeholder="Acme production"
          hint="What people read. The given id, if you leave it empty."
          {...form.field("name")}
        />
        <TextField
          label="AWS account"
          isOptional
          placeholder="123456789012"
          inputMode="numeric"
          hint="12 digits. If you give it, a stack in any other account is refused."
          {...form.field("expectedAwsAccountId")}
        />
      </FormBox>
    </Page>
  );
}
