import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { useCan } from "../api/permissions.ts";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { tellScopes } from "../api/user-rules.ts";
import { tellConditions, tellIssuer } from "../api/workload-words.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

/** Which jobs of CI act without a key. */
export function WorkloadTrustsPage() {
  const { may } = useCan("manage workload trusts");
  return (
    <Page
      title="Workload trusts"
      lead="Jobs of GitHub Actions, GitLab and others deploy without a key: their platform signs who they are."
      actions={
        may ? (
          <LinkButton look="primary" to={paths.newTrust()}>
            Trust a job
          </LinkButton>
        ) : undefined
      }
    >
      <Permitted action="manage workload trusts">
        <Trusts />
      </Permitted>
    </Page>
  );
}

function Trusts() {
  const list = useList(readPages("workloadTrusts", "list", {}), "workloadTrusts");
  const users = useLater(readAll("users", "list", {}));
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the trusts" />;
  if (list.items.length === 0)
    return (
      <Empty title="No job is trusted" action={<LinkButton to={paths.newTrust()}>Trust a job</LinkButton>}>
        A job then needs an API key, which a person has to store and replace.
      </Empty>
    );
  const names = new Map(users.data?.users.map(({ id, name }) => [id, name]));
  const columns: readonly Column<WorkloadTrust>[] = [
    { label: "Trust", cell: ({ id, name }) => <Link to={paths.trust(id)}>{name}</Link> },
    { label: "Of", cell: ({ issuer }) => tellIssuer(issuer) },
    { label: "If", cell: ({ conditions }) => tellConditions(conditions) },
    { label: "May", wraps: true, cell: tellScopes },
    {
      label: "As",
      cell: ({ userId }) => <Link to={paths.user(userId)}>{names.get(userId) ?? "A service account"}</Link>,
    },
    { label: "Last used", isShort: true, cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
  ];
  return (
    <Table
      caption="Workload trusts"
      columns={columns}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}
