import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { NewApiKey, Scope } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { expiryIn, EXPIRY_CHOICES, SCOPE_CHOICES } from "../api/user-rules.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { paths } from "../paths.ts";
import { ChecksField, SelectField, TextField } from "../ui/field.tsx";

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
  const initial: Values = { name: "", userId: me.user.id, days: "90", scopes: [], projectIds: [] };
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
  return (
    <Page title="Create a key" crumbs={[["API keys", paths.keys()]]}>
      <FormBox form={form} action="Create key" disabledReason={reason}>
        <TextField label="Name" hint="What it is for." {...form.field("name")} />
        <SelectField
          label="User"
          hint="The key may never do more than its user."
          options={users.map(({ id, name }) => [id, name] as const)}
          {...form.field("userId")}
        />
        <SelectField
          label="Valid for"
          hint="A key that ends by itself does less harm when it leaks."
          options={EXPIRY_CHOICES}
          {...form.field("days", "/expiresAt")}
        />
        <ChecksField
          label="What it may do"
          hint="Nothing chosen: all that its user may do."
          options={SCOPE_CHOICES}
          {...form.field("scopes")}
        />
        {projects.length === 0 ? null : (
          <ChecksField
            label="In which projects"
            hint="Nothing chosen: in all. A key of some projects sees no other, and changes nothing outside of them."
            options={projects.map(({ id, name }) => [id, name] as const)}
            {...form.field("projectIds")}
          />
        )}
      </FormBox>
      {made === null ? null : (
        <SecretOnce
          title={`The key ${made.name}`}
          what="the key"
          secret={made.key}
          onDone={() => void navigate({ to: paths.keys() })}
        >
          <p>Keep it where only its user finds it.</p>
        </SecretOnce>
      )}
    </Page>
  );
}
