/** All domains of the organization, found by what the address says. */
import { Link, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { DomainCounts } from "../../../sdk/src/generated/types.ts";
import { type DomainFilter, filterToQuery, STATES, WARNINGS } from "../api/domain-filter.ts";
import { totalOf } from "../api/domain-selection.ts";
import { useCan } from "../api/permissions.ts";
import { useStatistics } from "../api/statistics.ts";
import { ProjectChoice } from "../components/choices.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { Page } from "../components/page.tsx";
import { DomainPictures } from "../components/pictures.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Stack } from "../ui/layout.tsx";
import { DomainRows } from "./domain-rows.tsx";
import css from "./domain-rows.module.css";

const AddDialog = lazy(async () => ({ default: (await import("./add-domains.tsx")).AddDomains }));

export function DomainsPage() {
  const search = useSearch({ from: "/shell/domains" });
  const { isFiltered, count, clear, field } = useFilter(search);
  const [isAdding, setAdding] = useState(false);
  const { reason } = useCan("manage domains");
  const { projectId, name, warning, status } = search;
  const counts = useStatistics(projectId).data?.domains;
  const isCounted = name === undefined && warning === undefined && status === undefined;
  return (
    <Page
      title="Domains"
      lead="The names of all projects, whether they are served, and who acts next."
      actions={
        <Button look="primary" disabledReason={reason} onClick={() => setAdding(true)}>
          <Icon of={Plus} /> Add domains
        </Button>
      }
    >
      <Stack>
        <States counts={counts} search={search} />
        <Filters label="Filter the domains" count={count}>
          <FilterText label="Name" placeholder="shop. or *.example.com" {...field("name")} />
          <SelectField label="State" options={[["", "Any"], ...STATES]} {...field("status")} />
          <SelectField
            label="Warning"
            options={[["", "With or without"], ...WARNINGS]}
            {...field("warning")}
          />
          <ProjectChoice {...field("projectId")} />
        </Filters>
        <DomainRows
          query={filterToQuery(search)}
          title="Domains"
          total={isCounted && counts !== undefined ? totalOf(counts) : undefined}
          empty={isFiltered ? <NoMatch onClear={clear} /> : <NothingYet />}
        />
        <DomainPictures projectId={projectId} />
      </Stack>
      {isAdding ? (
        <Suspense fallback={null}>
          <AddDialog onClose={() => setAdding(false)} />
        </Suspense>
      ) : null}
    </Page>
  );
}

/** How many domains are in each state, each a link that shows them. */
function States({
  counts,
  search,
}: {
  readonly counts: DomainCounts | undefined;
  readonly search: DomainFilter;
}) {
  const states: readonly (readonly [string, DomainFilter["status"], number | undefined])[] = [
    ["All", undefined, counts && totalOf(counts)],
    ["Served", "ATTACHED", counts?.attached],
    ["Waiting for DNS records", "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", counts?.awaitingRecords],
    ["Failed", "ERROR_ATTACHING", counts?.inError],
  ];
  const { status: _status, ...others } = search;
  return (
    <nav aria-label="Counts of domains">
      <ul className={css["states"]}>
        {states.map(([words, status, count]) => (
          <li key={words}>
            <Link
              to={paths.domains()}
              search={{ ...others, ...(status === undefined ? {} : { status }) } as never}
              activeOptions={{ exact: true }}
            >
              {words} <b>{count?.toLocaleString("en") ?? "…"}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty title="No domain matches" action={<Button onClick={onClear}>Clear the filter</Button>}>
      A name is found by its beginning, and *.example.com finds all below example.com.
    </Empty>
  );
}

function NothingYet() {
  return (
    <Empty title="No domains yet" action={<DocsLink chapter="Custom domains" />}>
      A domain lets people reach a service by a name of yours, such as www.example.com. Add the first one:
      Slipway says which DNS records to set, requests its certificate and renews it.
    </Empty>
  );
}
