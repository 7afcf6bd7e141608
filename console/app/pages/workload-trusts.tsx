import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { formatScopes } from "../api/user-rules.ts";
import { formatConditions, formatIssuer } from "../api/workload-words.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { copyItem } from "../components/copy-item.ts";
import { deleteItem } from "../components/delete-item.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted, PermittedLink } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Empty, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { timeColumn } from "../ui/time-column.tsx";
import { deleteTrust } from "./workload-trust-writes.ts";

/** The jobs of CI that act without a key. */
export function WorkloadTrustsPage() {
  return (
    <Page
      title="Workload trusts"
      lead="Jobs of GitHub Actions, GitLab and others deploy without a key: their platform signs who they are."
      actions={
        <PermittedLink action="manage workload trusts" to={paths.newTrust()} isPrimary>
          Trust a job
        </PermittedLink>
      }
    >
      <Permitted action="manage workload trusts">
        <Trusts />
      </Permitted>
    </Page>
  );
}

/** For a reader who may manage trusts. */
function Trusts() {
  const list = useList(readPages("workloadTrusts", "list", {}), "workloadTrusts");
  const users = useLater(readAll("users", "list", {}));
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the trusts" />;
  if (list.items.length === 0)
    return (
      <Empty title="No job is trusted" action={<LinkButton to={paths.newTrust()}>Trust a job</LinkButton>}>
        A trusted job of CI deploys without an API key, so no key has to be stored and replaced.{" "}
        <DocsLink chapter="Workloads" />
      </Empty>
    );
  const names = new Map(users.data?.users.map(({ id, name }) => [id, name]));
  const accountOf = ({ userId }: WorkloadTrust) => names.get(userId) ?? "A service account";
  const columns: readonly Column<WorkloadTrust>[] = [
    {
      label: "Trust",
      cell: ({ id, name }) => <Link to={paths.trust(id)}>{name}</Link>,
      sortBy: ({ name }) => name,
    },
    {
      label: "Platform",
      cell: ({ issuer }) => formatIssuer(issuer),
      sortBy: ({ issuer }) => formatIssuer(issuer),
    },
    { label: "Conditions", cell: ({ conditions }) => formatConditions(conditions) },
    { label: "Permissions", cell: formatScopes },
    {
      label: "Acts as",
      cell: (trust) => <Link to={paths.user(trust.userId)}>{accountOf(trust)}</Link>,
      sortBy: accountOf,
    },
    timeColumn("Last used", "lastUsedAt"),
    {
      label: "",
      cell: (trust) => (
        <ActionMenu
          of={trust.name}
          actions={[copyItem("the id", trust.id, "the trust's id"), deleteItem(deleteTrust(trust))]}
        />
      ),
    },
  ];
  return (
    <Table
      caption="Workload trusts"
      columns={columns}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
      filterBy={(trust) => `${trust.name} ${formatConditions(trust.conditions)} ${accountOf(trust)}`}
    />
  );
}
