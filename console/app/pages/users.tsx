import type { User, UserKind } from "../../../sdk/src/generated/types.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { tellRole, tellSignIn } from "../api/user-rules.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Section, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

/** Who belongs to the organization: people, and apart from them programs. */
export function UsersPage() {
  const { may } = useCan("manage users");
  return (
    <Page
      title="Users"
      lead="The people of your organization, and the service accounts that programs use."
      actions={
        may ? (
          <LinkButton look="primary" to={paths.newUser()}>
            Add a user
          </LinkButton>
        ) : undefined
      }
    >
      <UserTable kind="person" />
      <Section title="Service accounts">
        <UserTable kind="service" />
      </Section>
    </Page>
  );
}

const ROLE: Column<User> = { label: "Role", isShort: true, cell: ({ role }) => tellRole(role) };
const SIGN_IN: Column<User> = {
  label: "Signs in by",
  isShort: true,
  cell: (user) => tellSignIn(user) ?? <Quiet>nothing yet</Quiet>,
};
const LAST_SEEN: Column<User> = {
  label: "Last seen",
  isShort: true,
  cell: ({ lastSeenAt }) => <When at={lastSeenAt} otherwise="not yet" />,
};
const ADDED: Column<User> = {
  label: "Added",
  isShort: true,
  cell: ({ createdAt }) => <When at={createdAt} />,
};

function UserTable({ kind }: { readonly kind: UserKind }) {
  const me = useMe();
  const list = useList(readPages("users", "list", { kind }), "users");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the users" />;
  const name: Column<User> = {
    label: "Name",
    cell: (user) => (
      <>
        <Link to={paths.user(user.id)}>{user.name}</Link>
        {user.id === me.user.id ? <Quiet> · you</Quiet> : null}
      </>
    ),
  };
  if (kind === "service")
    return list.items.length === 0 ? (
      <Empty title="No service accounts">
        A service account belongs to no person: programs with its keys continue to work when people leave.
      </Empty>
    ) : (
      <Table
        caption="Service accounts"
        columns={[name, ROLE, { ...SIGN_IN, label: "Acts by" }, LAST_SEEN, ADDED]}
        rows={list.items}
        keyOf={({ id }) => id}
        more={moreOf(list)}
      />
    );
  const email: Column<User> = { label: "Email", cell: (user) => user.email ?? <Quiet>–</Quiet> };
  const login: Column<User> = {
    label: "Git login",
    cell: ({ gitLogin }) => gitLogin ?? <Quiet>–</Quiet>,
  };
  return (
    <Table
      caption="People"
      columns={[name, email, ROLE, SIGN_IN, LAST_SEEN, login, ADDED]}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}
