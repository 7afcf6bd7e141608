import { useNavigate, useParams } from "@tanstack/react-router";
import type { User } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { reasonAgainstLosing, formatRole, describeRole, formatSignIn } from "../api/user-rules.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { CopyIdMenu } from "../components/copy-id-menu.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { NotPermitted, PermittedLink } from "../components/permitted.tsx";
import { UserFields, userRequestOf, userValuesOf } from "../forms/user-fields.tsx";
import { paths } from "../paths.ts";
import { Facts, Fine, Row, Section, Stack } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { When } from "../ui/time.tsx";
import { KeyTable } from "./key-table.tsx";
import { SessionTable } from "./session-table.tsx";
import { UserInvitation } from "./user-invitation.tsx";
import { deleteUser } from "./user-writes.ts";

/** One user: role, keys and sessions. */
export function UserPage() {
  const { userId } = useParams({ from: "/shell/users/$userId" });
  const user = useRead(read("users", "get", userId));
  const me = useMe();
  const { may } = useCan("manage users");
  const isOwn = me.user.id === userId;
  const isPerson = user.kind === "person";
  return (
    <Page
      title={user.name}
      crumbs={[isPerson ? ["Users", paths.users()] : ["Service accounts", paths.serviceAccounts()]]}
      lead={`${formatRole(user.role)}. ${describeRole(user.role)}`}
      actions={
        <>
          <PermittedLink action="manage keys" to={paths.newKey()} search={{ userId }}>
            Create a key
          </PermittedLink>
          <CopyIdMenu of={user.name} id={userId} what="the user's id" />
        </>
      }
    >
      <Stack>
        <NotPermitted action="manage users" what="change users" />
        <Facts
          of={[
            ["Kind", isPerson ? "Person" : "Service account, for programs"],
            ["Email", user.email],
            ["Login at the git provider", user.gitLogin],
            [isPerson ? "Signs in by" : "Authenticates by", formatSignIn(user) ?? "nothing yet"],
            ["Last seen", <When at={user.lastSeenAt} otherwise="not yet" />],
            ["Added", <When at={user.createdAt} />],
            ["Changed", <When at={user.updatedAt} />],
          ]}
        />
      </Stack>
      {isPerson && may && !isOwn ? (
        <Section title="Invitation">
          <UserInvitation userId={userId} />
        </Section>
      ) : null}
      {may ? (
        <Section title="API keys">
          <KeyTable userId={userId} />
        </Section>
      ) : null}
      {isPerson && (may || isOwn) ? (
        <Section title="Sessions">
          <SessionTable userId={userId} />
        </Section>
      ) : null}
      {may ? (
        <Section title="Change">
          <EditForm user={user} />
        </Section>
      ) : null}
      <Section title="Delete">
        <p>All API keys and sessions of this user end. The audit keeps the user's entries.</p>
        <Row>
          <DeleteButton user={user} isOwn={isOwn} />
        </Row>
      </Section>
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
      {last === null ? null : (
        <Fine>This is the last admin. Give another user this role before you change it.</Fine>
      )}
    </FormBox>
  );
}

function DeleteButton({ user, isOwn }: { readonly user: User; readonly isOwn: boolean }) {
  const { users } = useRead(readAll("users", "list", {}));
  const { reason } = useCan("manage users");
  const navigate = useNavigate();
  const { question, ...write } = deleteUser(user, isOwn);
  return (
    <ConfirmButton
      {...question}
      {...write}
      label="Delete user"
      disabledReason={reason ?? reasonAgainstLosing(user, users)}
      onDone={() => navigate({ to: user.kind === "person" ? paths.users() : paths.serviceAccounts() })}
    />
  );
}
