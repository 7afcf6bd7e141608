import { useSearch } from "@tanstack/react-router";
import { auditQueryOf } from "../api/audit-filter.ts";
import { tellIntegration } from "../api/git-words.ts";
import { readAll, readPages, useLater, useList } from "../api/query.ts";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Empty, Row, Skeleton, Stack } from "../ui/layout.tsx";
import { ExportButtons } from "./audit-export.tsx";
import { AuditTable } from "./audit-table.tsx";

/** Who changed what, and when. */
export function AuditPage() {
  return (
    <Page
      title="Audit"
      lead="Every change: who made it, when, and what was different before. Values of variables are never recorded."
    >
      <Permitted action="read audit">
        <Audit />
      </Permitted>
    </Page>
  );
}

/** What the search does not know by its id, all of which admins may read. @param people names of users, by id */
function useNames(people: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const keys = useLater(readAll("apiKeys", "list", {}));
  const webhooks = useLater(readAll("webhookEndpoints", "list", {}));
  const git = useLater(readAll("gitIntegrations", "list", {}));
  return new Map([
    ...people,
    ...(keys.data?.apiKeys ?? []).map(({ id, name }) => [id, name] as const),
    ...(webhooks.data?.webhookEndpoints ?? []).map(
      ({ id, description, url }) => [id, description === "" ? url : description] as const,
    ),
    ...(git.data?.gitIntegrations ?? []).map((one) => [one.id, tellIntegration(one)] as const),
  ]);
}

function Audit() {
  const search = useSearch({ from: "/shell/audit" });
  const users = useLater(readAll("users", "list", {})).data?.users ?? [];
  const query = auditQueryOf(search);
  const list = useList(readPages("auditEntries", "list", { order: "desc", ...query }), "auditEntries");
  const people = new Map(users.map(({ id, name }) => [id, name]));
  const names = useNames(people);
  const { field, clear } = useFilter(search);
  return (
    <Stack>
      <Filters label="Filter the entries">
        <SelectField
          label="Who"
          options={[
            ["", "Everybody"],
            ...people,
            ["slipway", "Slipway itself"],
            ["operator", "The operator"],
          ]}
          {...field("userId")}
        />
        <FilterText label="Action" placeholder="domain.deleted" {...field("action")} />
        <FilterText label="Resource's id" placeholder="proj_…" {...field("resourceId")} />
        <TextField label="From" type="date" {...field("from")} />
        <TextField label="To" type="date" {...field("to")} />
      </Filters>
      <Row>
        <ExportButtons query={query} names={names} />
      </Row>
      {list.error === null ? null : <Problem error={list.error} />}
      {list.items === undefined ? (
        list.error === null ? (
          <Skeleton lines={10} label="Loading the entries" />
        ) : null
      ) : list.items.length > 0 ? (
        <AuditTable entries={list.items} names={names} more={moreOf(list)} />
      ) : (
        <Empty title="No entry is like that" action={<Button onClick={clear}>Clear the filter</Button>} />
      )}
    </Stack>
  );
}
