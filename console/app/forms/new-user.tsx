import { useNavigate, useSearch } from "@tanstack/react-router";
import type { UserKind } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { RadioField } from "../ui/radio-field.tsx";
import { UserFields, userRequestOf, userValuesOf } from "./user-fields.tsx";

export function NewUserForm() {
  const { reason } = useCan("manage users");
  const navigate = useNavigate();
  const { kind } = useSearch({ from: "/shell/users/new" });
  const form = useForm({
    initial: { ...userValuesOf(null), kind: kind === "service" ? "service" : "person" },
    submit: (values) => slipway.users.create({ kind: values.kind as UserKind, ...userRequestOf(values) }),
    refreshes: ["users"],
    onDone: ({ id }) => navigate({ to: paths.user(id) }),
  });
  return (
    <Page
      title="Add a user"
      crumbs={[["Users", paths.users()]]}
      lead="On the next page, create a key for the user if people do not sign in at your identity provider, and send an invitation."
    >
      <FormBox form={form} action="Add user" refusal={reason}>
        <RadioField
          label="Kind"
          options={[
            ["person", "Person", "Signs in to the console."],
            ["service", "Service account", "A program with API keys, such as a job of CI."],
          ]}
          {...form.field("kind")}
        />
        <UserFields form={form} />
      </FormBox>
    </Page>
  );
}
