import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { NewApiKey, Scope } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { expiryIn, EXPIRY_CHOICES, formatRole, describeRole } from "../api/user-rules.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { paths } from "../paths.ts";
import { Empty } from "../ui/layout.tsx";
import { ComboField, SelectField, TextField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { PermissionFields } from "./permission-fields.tsx";

type Values = {
  readonly name: string;
  readonly userId: string;
  readonly days: string;
  readonly scopes: readonly string[];
  readonly projectIds: readonly string[];
};

export function NewApiKeyForm() {
  const { reason } = useCan("manage keys");
  const me = useMe();
  const { users } = useRead(readAll("users", "list", {}));
  const { projects } = useRead(readAll("projects", "list", {}));
  const navigate = useNavigate();
  const [made, setMade] = useState<NewApiKey | null>(null);
  const { userId } = useSearch({ from: "/shell/api-keys/new" });
  const fixed = users.find(({ id }) => id === userId);
  const back = fixed === undefined ? paths.keys() : paths.user(fixed.id);
  const initial: Values = {
    name: "",
    userId: fixed?.id ?? me.user.id,
    days: "90",
    scopes: [],
    projectIds: [],
  };
  const form = useForm({
    initial,
    submit: ({ name, userId, days, scopes, projectIds }) =>
      slipway.apiKeys.create({
        name: name.trim(),
        userId,
        expiresAt: expiryIn(days, Date.now()),
        ...(scopes.length === 0 ? {} : { scopes: scopes as readonly Scope[] }),
        ...(projectIds.length === 0 ? {} : { projectIds }),
      }),
    refreshes: ["apiKeys"],
    onDone: setMade,
  });
  // The link fixes the user of the key.
  if (userId !== undefined && fixed === undefined)
    return (
      <Page title="Create a key" crumbs={[["Users", paths.users()]]}>
        <Empty title="User not found">The user was deleted, or the link is incomplete.</Empty>
      </Page>
    );
  return (
    <Page
      title={fixed === undefined ? "Create a key" : `Create a key for ${fixed.name}`}
      crumbs={
        fixed === undefined
          ? [["API keys", back]]
          : [
              ["Users", paths.users()],
              [fixed.name, back],
            ]
      }
      lead={fixed === undefined ? undefined : `${formatRole(fixed.role)}. ${describeRole(fixed.role)}`}
    >
      <FormBox form={form} action="Create key" refusal={reason}>
        <FormSection title="Key">
          <TextField label="Name" hint="The program or device that uses it." {...form.field("name")} />
          {fixed === undefined ? (
            <ComboField
              label="User"
              hint="The key never has more permissions than its user."
              options={users.map(({ id, name, role }) => ({
                value: id,
                label: name,
                detail: formatRole(role),
              }))}
              empty="No user has this name."
              {...form.field("userId")}
            />
          ) : null}
          <SelectField
            label="Valid for"
            hint="A key that expires does less harm if it leaks."
            options={EXPIRY_CHOICES}
            {...form.field("days", "/expiresAt")}
          />
        </FormSection>
        <FormSection title="Permissions" lead="Without a choice, the key has all permissions of its user.">
          <PermissionFields
            scopes={form.field("scopes")}
            projectIds={form.field("projectIds")}
            projects={projects}
            hint="A key of some projects does not see the others, and changes nothing outside of them."
          />
        </FormSection>
      </FormBox>
      {made === null ? null : (
        <SecretOnce
          title={fixed === undefined ? `The key ${made.name}` : `The key ${made.name} of ${fixed.name}`}
          what="the key"
          secret={made.key}
          onDone={() => void navigate({ to: back })}
        >
          <p>Store it where only its user can read it.</p>
        </SecretOnce>
      )}
    </Page>
  );
}
