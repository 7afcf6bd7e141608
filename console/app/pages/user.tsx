import { useNavigate, useParams } from "@tanstack/react-router";
import type { User } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { reasonAgainstLosing, tellRole, tellRoleMeaning, tellSignIn } from "../api/user-rules.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { UserFields, userRequestOf, userValuesOf } from "../forms/user-fields.tsx";
import { paths } from "../paths.ts";
import { Facts, Fine, Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";
import { KeyTable } from "./key-table.tsx";
import { SessionTable } from "./session-table.tsx";

/** One user: role, keys and sessions. */
export function UserPage() {
  const { userId } = useParams({ from: "/shell/users/$userId" });
  const user = useRead(read("users", "get", userId));
  const me = useMe();
  const { may } = useCan("manage users");
  const isOwn = me.user.id === userId;
  return (
    <Page
      title={user.name}
      crumbs={[["Users", paths.users()]]}
      lead={`${tellRole(user.role)}. ${tellRoleMeaning(user.role)}`}
      actions={<DeleteButton user={user} isOwn={isOwn} />}
    >
      <Facts
        of={[
          ["Kind", user.kind === "person" ? "A person" : "A service account, which programs use"],
          ["Email", user.email],
          ["Login at the git provider", user.gitLogin],
          [user.kind === "person" ? "Signs in by" : "Acts by", tellSignIn(user) ?? "nothing yet"],
          ["Last seen", <When at={user.lastSeenAt} otherwise="not yet" />],
          ["Added", <When at={user.createdAt} />],
          ["Changed", <When at={user.updatedAt} />],
        ]}
      />
      {user.kind === "person" && (may || isOwn) ? (
        <Section title="Sessions">
          <SessionTable userId={userId} />
        </Section>
      ) : null}
      {may ? (
        <>
          <Section
            title="API keys"
            actions={
              <LinkButton to={paths.newKey()} search={{ userId }}>
                Create a key
              </LinkButton>
            }
          >
            <KeyTable userId={userId} />
          </Section>
          <Section title="Change">
            <EditForm user={user} />
          </Section>
        </>
      ) : null}
    </Page>
  );
}

function EditForm({ user }: { readonly user: User }) {
  const { users } = useRead(readAll("users", "list", {}));
  const last = reasonAgainstLosing(user, users);
  const form = useForm({
    initial: userValuesOf(user),
    submit: (values) => slipway.users.update(user.id, userRequestOf(values)),
    refreshes: ["users", "me"],
    onDone: () => toast("Saved."),
  });
  const isLosing = last !== null && form.values.role !== "admin";
  return (
    <FormBox form={form} action="Save" disabledReason={isLosing ? last : null}>
      <UserFields form={form} />
      {last === null ? null : <Fine>This is the last admin, and stays one until there is another.</Fine>}
    </FormBox>
  );
}

function DeleteButton({ user, isOwn }: { readonly user: User; readonly isOwn: boolean }) {
  const { users } = useRead(readAll("users", "list", {}));
  const { reason } = useCan("manage users");
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete user"
      disabledReason={reason ?? reasonAgainstLosing(user, users)}
      title={`Delete ${user.name}?`}
      consequences={[
        "All API keys of this user stop working within seconds, also the keys that programs use.",
        "All sessions of this user end.",
        ...(isOwn ? ["This is you: you are signed out."] : []),
      ]}
      action="Delete"
      work={() => slipway.users.delete(user.id)}
      refreshes={["users", "apiKeys"]}
      onDone={() => navigate({ to: paths.users() })}
    />
  );
}
