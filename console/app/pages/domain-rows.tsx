/** Rows of domains, one line each: where each leads, its state, who acts next, its certificate, and what can be done. */
import { lazy, Suspense, useState } from "react";
import type { DomainRow, OverviewListDomainsQuery } from "../../../sdk/src/generated/types.ts";
import { formatDomainCount } from "../api/domain-selection.ts";
import { tellDomainRow, tellRowProblem, tellTurn } from "../api/domain-words.ts";
import { type Target, useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { ActionMenu } from "../components/confirm.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { type Selection, useIsSelected, useSelectedIds, useSelection } from "../components/selection.ts";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Quiet, Section, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { DomainBulk } from "./domain-bulk.tsx";
import { rowActions } from "./domain-row-actions.ts";
import css from "./domain-rows.module.css";

const ShareDialog = lazy(async () => ({ default: (await import("./share-domains.tsx")).ShareDomains }));

type Props = {
  readonly query: OverviewListDomainsQuery;
  readonly title: string;
  /** Without the columns that say where a domain leads. */
  readonly isShort?: boolean;
  /** Where all of them lead, if it is one project. */
  readonly target?: Target;
  /** How many there are, if that is known. */
  readonly total?: number | undefined;
  /** Shown in place of an empty table. */
  readonly empty?: React.ReactNode;
};

export function DomainRows({ query, title, isShort = false, target, total, empty = null }: Props) {
  const list = useList(readPages("overview", "listDomains", query), "domains");
  const { items, error } = list;
  const selection = useSelection();
  const [shared, setShared] = useState<readonly DomainRow[] | null>(null);
  const { reason } = useCan("manage domains", target);
  if (items === undefined)
    return error === null ? <Skeleton lines={8} label="Loading domains" /> : <Problem error={error} />;
  if (items.length === 0) return empty;
  const columns: readonly Column<DomainRow>[] = [
    { label: "Domain", cell: (row) => <Name row={row} selection={selection} /> },
    ...(isShort ? [] : [WHERE]),
    STATE,
    ...(items.some((row) => tellRowProblem(row) !== null) ? [PROBLEM] : []),
    ...TURN_AND_CERTIFICATE,
    {
      label: "",
      cell: (row) => <ActionMenu of={row.name} actions={rowActions(row, reason, () => setShared([row]))} />,
    },
  ];
  return (
    <Section title={title}>
      <div className={css["list"]}>
        <SelectAll items={items} selection={selection} total={list.hasMore ? total : items.length} />
        <Table caption={title} rows={items} keyOf={({ id }) => id} columns={columns} more={moreOf(list)} />
        <DomainBulk items={items} selection={selection} reason={reason} onShare={setShared} />
      </div>
      {shared === null ? null : (
        <Suspense fallback={null}>
          <ShareDialog rows={shared} onClose={() => setShared(null)} />
        </Suspense>
      )}
    </Section>
  );
}

function Name({ row, selection }: { readonly row: DomainRow; readonly selection: Selection }) {
  const { id, name, domainCertificateGroupId } = row;
  const isSelected = useIsSelected(selection, id);
  return (
    <span className={css["name"]}>
      <input
        type="checkbox"
        aria-label={`Choose ${name}`}
        checked={isSelected}
        onChange={({ target }) => selection.set([id], target.checked)}
      />
      <Link to={paths.group(domainCertificateGroupId)}>{name}</Link>
    </span>
  );
}

function SelectAll({
  items,
  selection,
  total,
}: {
  readonly items: readonly DomainRow[];
  readonly selection: Selection;
  readonly total: number | undefined;
}) {
  const ids = useSelectedIds(selection);
  const count = items.filter(({ id }) => ids.has(id)).length;
  return (
    <div className={css["all"]}>
      <label>
        <input
          type="checkbox"
          checked={count === items.length}
          ref={(box) => {
            if (box !== null) box.indeterminate = count > 0 && count < items.length;
          }}
          onChange={({ target }) =>
            selection.set(
              items.map(({ id }) => id),
              target.checked,
            )
          }
        />{" "}
        Choose all {items.length === total ? "" : "shown"}
      </label>
      <Quiet>
        {total === undefined
          ? `${formatDomainCount(items.length)} shown`
          : items.length === total
            ? formatDomainCount(items.length)
            : `${items.length.toLocaleString("en")} of ${formatDomainCount(total)}`}
      </Quiet>
    </div>
  );
}

const WHERE: Column<DomainRow> = {
  label: "Leads to",
  cell: ({ projectId, projectName, serviceId, serviceName, environmentName }) => (
    <>
      <Link to={paths.project(projectId)}>{projectName}</Link> <Quiet>/</Quiet>{" "}
      <Link to={paths.service(serviceId)}>{serviceName}</Link> <Quiet>in {environmentName}</Quiet>
    </>
  ),
};

const STATE: Column<DomainRow> = {
  label: "State",
  isShort: true,
  cell: (row) => {
    const { words, tone } = tellDomainRow(row);
    return <Status of={row.status} words={words} tone={tone} />;
  },
};

/** One line, which is shown whole on hover and on the group's page. Only a list with a problem has this column. */
const PROBLEM: Column<DomainRow> = { label: "Problem", isRest: true, cell: tellRowProblem };

const TURN_AND_CERTIFICATE: readonly Column<DomainRow>[] = [
  { label: "Waiting for", isShort: true, cell: (row) => tellTurn(tellDomainRow(row).turn) },
  {
    label: "Certificate expires",
    isShort: true,
    cell: ({ certificateExpiresAt }) => <When at={certificateExpiresAt} otherwise="not issued yet" />,
  },
];
