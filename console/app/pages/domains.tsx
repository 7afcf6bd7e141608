/** All domains of the organization, found by what the address says. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type DomainFilter, filterToQuery, STATES, WARNINGS } from "../api/domain-filter.ts";
import { readPages, useList } from "../api/query.ts";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Empty, Row } from "../ui/layout.tsx";
import { DomainRows } from "./domain-rows.tsx";

const ALL = "";
/** Typing settles before the list is read. */
const SETTLE_MS = 250;

export function DomainsPage() {
  const filter = useSearch({ from: "/shell/domains" });
  const navigate = useNavigate();
  const set = (changes: DomainFilter) =>
    void navigate({ to: paths.domains(), search: { ...filter, ...changes } as never, replace: true });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page title="Domains" lead="The names of all projects, whether they are served, and whose turn it is.">
      <search>
        <Row>
          <NameField
            name={filter.name ?? ""}
            onSettled={(name) => set({ name: name === "" ? undefined : name })}
          />
          <SelectField
            label="State"
            name="status"
            options={[[ALL, "Any"], ...STATES]}
            value={filter.status ?? ALL}
            onChange={(status) =>
              set({ status: (status === ALL ? undefined : status) as DomainFilter["status"] })
            }
            fault={null}
          />
          <SelectField
            label="Warning"
            name="warning"
            options={[[ALL, "With or without"], ...WARNINGS]}
            value={filter.warning ?? ALL}
            onChange={(warning) =>
              set({ warning: (warning === ALL ? undefined : warning) as DomainFilter["warning"] })
            }
            fault={null}
          />
          <ProjectField
            projectId={filter.projectId ?? ALL}
            onChange={(projectId) => set({ projectId: projectId === ALL ? undefined : projectId })}
          />
        </Row>
      </search>
      <DomainRows
        query={filterToQuery(filter)}
        title="Domains"
        empty={isFiltered ? <NoMatch /> : <NothingYet />}
      />
    </Page>
  );
}

function NoMatch() {
  const navigate = useNavigate();
  return (
    <Empty
      title="No domain matches"
      action={
        <Button onClick={() => void navigate({ to: paths.domains(), search: {} as never, replace: true })}>
          Clear the filter
        </Button>
      }
    >
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

/** Keeps what is typed until it settles, so that an answer never replaces it. */
function NameField({
  name,
  onSettled,
}: {
  readonly name: string;
  readonly onSettled: (name: string) => void;
}) {
  const [typed, setTyped] = useState(name);
  useEffect(() => {
    if (typed.trim() === name) return;
    const timer = setTimeout(() => onSettled(typed.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `onSettled` is made anew at each rendering
  }, [typed, name]);
  // A filter that was cleared elsewhere is cleared here.
  useEffect(() => setTyped(name), [name]);
  return (
    <TextField
      label="Name"
      type="search"
      name="name"
      placeholder="shop. or *.example.com"
      value={typed}
      onChange={setTyped}
      fault={null}
    />
  );
}

function ProjectField({
  projectId,
  onChange,
}: {
  readonly projectId: string;
  readonly onChange: (projectId: string) => void;
}) {
  const { items } = useList(readPages("projects", "list", { limit: 100 }), "projects");
  const known = (items ?? []).map(({ id, name }) => [id, name] as const);
  const isKnown = projectId === ALL || known.some(([id]) => id === projectId);
  return (
    <SelectField
      label="Project"
      name="project"
      options={[[ALL, "All"], ...known, ...(isKnown ? [] : [[projectId, projectId] as const])]}
      value={projectId}
      onChange={onChange}
      fault={null}
    />
  );
}
