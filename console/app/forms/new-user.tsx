import { useNavigate } from "@tanstack/react-router";
import type { UserKind } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { SelectField } from "../ui/field.tsx";
import { UserFields, userRequestOf, userValuesOf } from "./user-fields.tsx";

export function NewUserForm() {
  const { reason } = useCan("manage users");
  const navigate = useNavigate();
  const form = useForm({
    initial: userValuesOf(null),
    submit: (values) => slipway.users.create({ kind: values.kind as UserKind, ...userRequestOf(values) }),
    refreshes: ["users"],
    onDone: ({ id }) => navigate({ to: paths.user(id) }),
  });
  return (
    <Page
      title="Add a user"
      crumbs={[["Users", paths.users()]]}
      lead="A new user has no key. Create one for them, with which they sign in or a program works."
    >
      <FormBox form={form} action="Add user" refusal={reason}>
        <SelectField
          label="Kind"
          options={[
            ["person", "A person, who signs in"],
            ["service", "A service account, whose keys programs use"],
          ]}
          {...form.field("kind")}
        />
        <UserFields form={form} />
      </FormBox>
    </Page>
  );
}
