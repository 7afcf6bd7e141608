/** All domains of the organization, found by what the address says. */
import { useSearch } from "@tanstack/react-router";
import { filterToQuery, STATES, WARNINGS } from "../api/domain-filter.ts";
import { ProjectChoice } from "../components/choices.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { DomainPictures } from "../components/pictures.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Empty, Stack } from "../ui/layout.tsx";
import { DomainRows } from "./domain-rows.tsx";

export function DomainsPage() {
  const search = useSearch({ from: "/shell/domains" });
  const { isFiltered, clear, field } = useFilter(search);
  return (
    <Page title="Domains" lead="The names of all projects, whether they are served, and whose turn it is.">
      <Stack>
        <Filters label="Filter the domains">
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
          above={<DomainPictures projectId={search.projectId} />}
          empty={isFiltered ? <NoMatch onClear={clear} /> : <NothingYet />}
        />
      </Stack>
    </Page>
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
    <Empty title="No domains yet" action={<LinkButton to={paths.projects()}>Choose a project</LinkButton>}>
      Domains are added to a service: open its page, then Domains.
    </Empty>
  );
}
