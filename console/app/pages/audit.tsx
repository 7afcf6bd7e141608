import { useSearch } from "@tanstack/react-router";
import { auditQueryOf } from "../api/audit-filter.ts";
import { AUDIT_NAMES } from "../api/audit-names.ts";
import { integrationName } from "../api/git-words.ts";
import { readPages, useLater, useList } from "../api/query.ts";
import { webhookName } from "../api/webhook-rules.ts";
import { DocsLink } from "../components/docs-link.tsx";
import { Filters, FilterText, useFilter } from "../components/filters.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Permitted } from "../components/permitted.tsx";
import { Problem } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { ComboField, TextField } from "../ui/field.tsx";
import { Empty, Row, Skeleton, Stack } from "../ui/layout.tsx";
import { ExportButtons } from "./audit-export.tsx";
import { AuditTable } from "./audit-table.tsx";

/** The changes of the organization, with their users and times. */
export function AuditPage() {
  return (
    <Page
      title="Audit"
      lead="Every change with its user, its time, and the values before and after. Values of variables are never recorded."
    >
      <Permitted action="read audit">
        <Audit />
      </Permitted>
    </Page>
  );
}

/**
 * The names of users, keys, webhooks and git integrations by their ids; null while they load: later names would move the
 * entries. A list that cannot be read has no names.
 */
function useNames(): ReadonlyMap<string, string> | null {
  const users = useLater(AUDIT_NAMES.users);
  const keys = useLater(AUDIT_NAMES.keys);
  const webhooks = useLater(AUDIT_NAMES.webhooks);
  const git = useLater(AUDIT_NAMES.git);
  if ([users, keys, webhooks, git].some(({ data, error }) => data === undefined && error === null))
    return null;
  return new Map([
    ...(users.data?.users ?? []).map(({ id, name }) => [id, name] as const),
    ...(keys.data?.apiKeys ?? []).map(({ id, name }) => [id, name] as const),
    ...(webhooks.data?.webhookEndpoints ?? []).map(
      (endpoint) => [endpoint.id, webhookName(endpoint)] as const,
    ),
    ...(git.data?.gitIntegrations ?? []).map((one) => [one.id, integrationName(one)] as const),
  ]);
}

function Audit() {
  const search = useSearch({ from: "/shell/audit" });
  const users = useLater(AUDIT_NAMES.users).data?.users ?? [];
  const query = auditQueryOf(search);
  const list = useList(readPages("auditEntries", "list", { order: "desc", ...query }), "auditEntries");
  const names = useNames();
  const { count, field, clear } = useFilter(search);
  return (
    <Stack>
      <Filters label="Filter the entries" count={count}>
        <ComboField
          label="User"
          options={[
            { value: "", label: "All users" },
            ...users.map(({ id, name, email }) => ({ value: id, label: name, detail: email ?? "" })),
            { value: "slipway", label: "Slipway, automatically" },
            { value: "operator", label: "The operator" },
          ]}
          empty="No user has this name."
          {...field("userId")}
        />
        <FilterText
          label="Action"
          placeholder="domain.deleted"
          choices={[...new Set(list.items?.map(({ action }) => action))].toSorted()}
          {...field("action")}
        />
        <FilterText label="Resource id" placeholder="proj_…" {...field("resourceId")} />
        <TextField label="From" type="date" {...field("from")} />
        <TextField label="To" type="date" {...field("to")} />
      </Filters>
      <Row>
        <ExportButtons query={query} names={names ?? new Map()} />
      </Row>
      {list.error === null ? null : <Problem error={list.error} />}
      {list.items === undefined || names === null ? (
        list.error === null ? (
          <Skeleton lines={10} label="Loading the entries" />
        ) : null
      ) : list.items.length > 0 ? (
        <AuditTable entries={list.items} names={names} more={moreOf(list)} />
      ) : (
        <Empty title="No entry matches" action={<Button onClick={clear}>Clear the filter</Button>}>
          Each change is recorded here with its user and time. <DocsLink chapter="Audit" />
        </Empty>
      )}
    </Stack>
  );
}
