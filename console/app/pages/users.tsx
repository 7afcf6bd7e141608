import { useNavigate } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import type { User, UserKind } from "../../../sdk/src/generated/types.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readAll, useRead } from "../api/query.ts";
import { formatRole, formatSignIn, reasonAgainstLosing } from "../api/user-rules.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { NotPermitted, PermittedLink } from "../components/permitted.tsx";
import { paths } from "../paths.ts";
import { Empty, Fine, Quiet, Stack } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { When } from "../ui/time.tsx";
import { deleteUser } from "./user-writes.ts";

/** The people of the organization. */
export function UsersPage() {
  return <UsersOf kind="person" />;
}

/** The users that are programs. */
export function ServiceAccountsPage() {
  return <UsersOf kind="service" />;
}

function UsersOf({ kind }: { readonly kind: UserKind }) {
  return (
    <Page
      title={kind === "person" ? "Users" : "Service accounts"}
      lead={
        kind === "person"
          ? "The people of your organization, with their roles."
          : "Users that are programs. They have keys and a role, and continue to work when people leave."
      }
      actions={
        <PermittedLink action="manage users" to={paths.newUser()} search={{ kind }} isPrimary>
          {kind === "person" ? "Add a user" : "Add a service account"}
        </PermittedLink>
      }
      tabs={[
        ["People", paths.users()],
        ["Service accounts", paths.serviceAccounts()],
      ]}
    >
      <Stack>
        <NotPermitted action="manage users" what="add, change or delete users" />
        <UserTable kind={kind} />
      </Stack>
    </Page>
  );
}

const NAME: Column<User> = {
  label: "Name",
  cell: (user) => <Name of={user} />,
  sortBy: ({ name }) => name,
};
const EMAIL: Column<User> = {
  label: "Email",
  cell: ({ email }) => email ?? <Quiet>–</Quiet>,
  sortBy: ({ email }) => email ?? "",
};
const ROLE: Column<User> = {
  label: "Role",
  isShort: true,
  cell: ({ role }) => formatRole(role),
  sortBy: ({ role }) => role,
};
const SIGN_IN: Column<User> = {
  label: "Signs in by",
  isShort: true,
  cell: (user) => formatSignIn(user) ?? <Quiet>nothing yet</Quiet>,
  sortBy: (user) => formatSignIn(user) ?? "",
};
const LAST_SEEN: Column<User> = {
  label: "Last seen",
  isShort: true,
  cell: ({ lastSeenAt }) => <When at={lastSeenAt} otherwise="not yet" />,
  sortBy: ({ lastSeenAt }) => lastSeenAt ?? "",
};
const LOGIN: Column<User> = {
  label: "Git login",
  cell: ({ gitLogin }) => gitLogin ?? <Quiet>–</Quiet>,
  sortBy: ({ gitLogin }) => gitLogin ?? "",
};
const ADDED: Column<User> = timeColumn("Added", "createdAt");
const COLUMNS: Readonly<Record<UserKind, readonly Column<User>[]>> = {
  person: [NAME, EMAIL, ROLE, SIGN_IN, LAST_SEEN, LOGIN, ADDED],
  service: [NAME, ROLE, { ...SIGN_IN, label: "Authenticates by" }, LAST_SEEN, ADDED],
};

function UserTable({ kind }: { readonly kind: UserKind }) {
  const { users, nextCursor } = useRead(readAll("users", "list", {}));
  const me = useMe();
  const { reason } = useCan("manage users");
  const keyReason = useCan("manage keys").reason;
  const rows = users.filter((user) => user.kind === kind);
  if (rows.length === 0)
    return (
      <Empty
        title="No service accounts"
        action={
          <PermittedLink action="manage users" to={paths.newUser()} search={{ kind }}>
            Add the first service account
          </PermittedLink>
        }
      >
        A service account belongs to no person: programs with its keys continue to work when people leave.{" "}
        <DocsLink chapter="Users and API keys" />
      </Empty>
    );
  return (
    <>
      <Table
        caption={kind === "person" ? "People" : "Service accounts"}
        columns={[
          ...COLUMNS[kind],
          {
            label: "",
            cell: (user) => (
              <Actions
                user={user}
                isOwn={user.id === me.user.id}
                keyReason={keyReason}
                reason={reason ?? reasonAgainstLosing(user, users)}
              />
            ),
          },
        ]}
        rows={rows}
        keyOf={({ id }) => id}
        filterBy={({ name, email, role, gitLogin }) => `${name} ${email ?? ""} ${role} ${gitLogin ?? ""}`}
      />
      {nextCursor === null ? null : <Fine>These are the first {users.length} users.</Fine>}
    </>
  );
}

function Name({ of: { id, name } }: { readonly of: User }) {
  const me = useMe();
  return (
    <>
      <Link to={paths.user(id)}>{name}</Link>
      {id === me.user.id ? <Quiet> · you</Quiet> : null}
    </>
  );
}

function Actions({
  user,
  isOwn,
  keyReason,
  reason,
}: {
  readonly user: User;
  readonly isOwn: boolean;
  /** Why the reader must not create a key. */
  readonly keyReason: string | null;
  /** Why the user must not be deleted. */
  readonly reason: string | null;
}) {
  const navigate = useNavigate();
  const { id, email, name } = user;
  return (
    <ActionMenu
      of={name}
      actions={[
        {
          label: "Create a key",
          icon: KeyRound,
          disabledReason: keyReason,
          onSelect: () => void navigate({ to: paths.newKey(), search: { userId: id } as never }),
        },
        ...(email === null ? [] : [copyItem("the email address", email)]),
        copyItem("the id", id, "the user's id"),
        deleteItem(deleteUser(user, isOwn), reason),
      ]}
    />
  );
}
