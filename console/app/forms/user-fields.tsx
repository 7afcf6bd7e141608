import type { Role, User } from "../../../sdk/src/generated/types.ts";
import { ROLE_CHOICES } from "../api/user-rules.ts";
import type { Form } from "../components/form.tsx";
import { SelectField, TextField } from "../ui/field.tsx";

export type UserValues = {
  readonly kind: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly gitLogin: string;
};

/** What a form of a user begins with. @param user null for a new one */
export function userValuesOf(user: User | null): UserValues {
  const { kind = "person", name = "", email = null, role = "viewer", gitLogin = null } = user ?? {};
  return { kind, name, email: email ?? "", role, gitLogin: gitLogin ?? "" };
}

/** What the API takes, but for the kind, which never changes. A service account has neither address nor login. */
export function userRequestOf({ kind, name, email, role, gitLogin }: UserValues) {
  return {
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    role: role as Role,
    ...(kind === "service" || email.trim() === "" ? {} : { email: email.trim() }),
    ...(kind === "service" ? {} : { gitLogin: gitLogin.trim() === "" ? null : gitLogin.trim() }),
  };
}

/** The fields of a user, new or not. */
export function UserFields({ form }: { readonly form: Form<UserValues> }) {
  const isPerson = form.values.kind === "person";
  return (
    <>
      {isPerson ? <TextField label="Email" type="email" {...form.field("email")} /> : null}
      {isPerson ? (
        <TextField label="Name" isOptional hint="Default: the email address." {...form.field("name")} />
      ) : (
        <TextField label="Name" hint="What it is for, such as CI." {...form.field("name")} />
      )}
      <SelectField label="Role" options={ROLE_CHOICES} {...form.field("role")} />
      {isPerson ? (
        <TextField
          label="Login at the git provider"
          isOptional
          hint="The user's name at GitHub or GitLab."
          {...form.field("gitLogin")}
        />
      ) : null}
    </>
  );
}
