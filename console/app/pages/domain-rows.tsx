/** Rows of domains, with where each leads, its certificate, and whose turn it is. */
import { useState } from "react";
import type { DomainRow, OverviewListDomainsQuery } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellDomainRow, tellRowProblem, tellTurn } from "../api/domain-words.ts";
import { type Target, useCan } from "../api/permissions.ts";
import { readPages, useList } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Fine, Section, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import css from "./domain-rows.module.css";

type Props = {
  readonly query: OverviewListDomainsQuery;
  readonly title: string;
  /** Without the columns that say where a domain leads. */
  readonly isShort?: boolean;
  /** Where all of them lead, if it is one project. */
  readonly target?: Target;
  /** Shown in place of an empty table. */
  readonly empty?: React.ReactNode;
  /** Shown above a table that has rows. */
  readonly above?: React.ReactNode;
};

export function DomainRows({ query, title, isShort = false, target, empty = null, above = null }: Props) {
  const list = useList(readPages("overview", "listDomains", query), "domains");
  const { items, error } = list;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { reason } = useCan("manage domains", target);
  if (items === undefined)
    return error === null ? <Skeleton lines={8} label="Loading domains" /> : <Problem error={error} />;
  if (items.length === 0) return empty;
  const picked = items.filter(({ id }) => chosen.has(id));
  const isAll = picked.length === items.length;
  const columns: readonly Column<DomainRow>[] = [
    {
      label: "Domain",
      cell: (row) => (
        <span className={css["pick"]}>
          <input
            type="checkbox"
            aria-label={`Choose ${row.name}`}
            checked={chosen.has(row.id)}
            onChange={({ target }) => setChosen(withChoice(chosen, row.id, target.checked))}
          />
          <Link to={paths.group(row.domainCertificateGroupId)}>{row.name}</Link>
        </span>
      ),
    },
    ...(isShort ? [] : WHERE),
    ...STATE,
  ];
  return (
    <>
      {above}
      <Section
        title={title}
        actions={
          <>
            <label>
              <input
                type="checkbox"
                checked={isAll}
                onChange={({ target }) => setChosen(new Set(target.checked ? items.map(({ id }) => id) : []))}
              />{" "}
              All {list.hasMore ? "shown" : items.length}
            </label>
            <ActionButton
              label={picked.length === 0 ? "Check DNS now" : `Check DNS of ${picked.length} now`}
              disabledReason={picked.length === 0 ? "Choose domains first." : reason}
              work={async () => {
                for (const { id } of picked) await slipway.domains.check(id);
              }}
              said="Checking. The result appears here."
              refreshes={["domains", "domainGroups", "overview"]}
              onDone={() => setChosen(new Set())}
            />
          </>
        }
      >
        <Table caption={title} rows={items} keyOf={({ id }) => id} columns={columns} more={moreOf(list)} />
      </Section>
    </>
  );
}

function withChoice(chosen: ReadonlySet<string>, id: string, isChosen: boolean): ReadonlySet<string> {
  return isChosen ? new Set([...chosen, id]) : new Set([...chosen].filter((one) => one !== id));
}

const WHERE: readonly Column<DomainRow>[] = [
  {
    label: "Leads to",
    cell: ({ projectId, projectName, serviceId, serviceName, environmentName }) => (
      <>
        <Link to={paths.project(projectId)}>{projectName}</Link>
        <Fine>
          <Link to={paths.service(serviceId)}>{serviceName}</Link> in {environmentName}
        </Fine>
      </>
    ),
  },
];

const STATE: readonly Column<DomainRow>[] = [
  {
    label: "State",
    wraps: true,
    cell: (row) => {
      const { words, tone } = tellDomainRow(row);
      return (
        <>
          <Status of={row.status} words={words} tone={tone} />
          {tellRowProblem(row) === null ? null : <Fine>{tellRowProblem(row)}</Fine>}
        </>
      );
    },
  },
  { label: "Whose turn", isShort: true, cell: (row) => tellTurn(tellDomainRow(row).turn) },
  {
    label: "Certificate",
    isShort: true,
    cell: ({ certificateExpiresAt }) => (
      <>
        {certificateExpiresAt === null ? null : "expires "}
        <When at={certificateExpiresAt} otherwise="not issued yet" />
      </>
    ),
  },
];
