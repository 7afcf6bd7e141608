import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { AuditEntry } from "../../../sdk/src/generated/types.ts";
import { Link } from "../components/link.tsx";
import type { moreOf } from "../components/more.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Quiet } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { ChangeLine, EntryDetails, Resource } from "./audit-entry.tsx";
import { changesOf, formatAction, formatActor, nameInEntry } from "./audit-words.ts";

type Props = {
  readonly entries: readonly AuditEntry[];
  /** Of users, keys, webhooks and git integrations, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly more: ReturnType<typeof moreOf>;
};

/** One line for each entry; its details open below it. */
export function AuditTable({ entries, names, more }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpen(open.has(id) ? new Set([...open].filter((one) => one !== id)) : new Set([...open, id]));
  const columns: readonly Column<AuditEntry>[] = [
    {
      label: "Action",
      share: 20,
      cell: ({ action }) => <span title={action}>{formatAction(action)}</span>,
    },
    { label: "Resource", share: 22, cell: (entry) => <Resource entry={entry} names={names} /> },
    { label: "Change", share: 32, cell: (entry) => <Summary of={entry} names={names} /> },
    { label: "User", share: 14, cell: ({ userId }) => <Actor id={userId} names={names} /> },
    { label: "When", share: 12, cell: ({ at }) => <When at={at} /> },
    {
      label: "",
      cell: (entry) => (
        <Button
          look="plain"
          size="small"
          aria-expanded={open.has(entry.id)}
          aria-label={`Details of: ${labelOf(entry, names)}`}
          title="Details"
          onClick={() => toggle(entry.id)}
        >
          <Icon of={open.has(entry.id) ? ChevronDown : ChevronRight} />
        </Button>
      ),
    },
  ];
  return (
    <Table
      caption="Audit entries, newest first"
      columns={columns}
      rows={entries}
      keyOf={({ id }) => id}
      note={(entry) => (open.has(entry.id) ? <EntryDetails entry={entry} names={names} /> : null)}
      more={more}
    />
  );
}

function labelOf(entry: AuditEntry, names: Props["names"]): string {
  const name = nameInEntry(entry) ?? names.get(entry.resourceId) ?? "";
  return `${formatAction(entry.action)} ${name}`.trim();
}

/** The changes in one line. */
function Summary({ of: { details }, names }: Pick<Props, "names"> & { readonly of: AuditEntry }) {
  const { names: set, changes } = changesOf(details);
  if (set.length === 0 && changes.length === 0) return <Quiet>–</Quiet>;
  return (
    <>
      <span data-literal>{set.join(", ")}</span>
      {changes.map((change, index) => (
        <span key={change.field}>
          {index === 0 && set.length === 0 ? "" : ", "}
          <ChangeLine of={change} names={names} />
        </span>
      ))}
    </>
  );
}

function Actor({ id, names }: Pick<Props, "names"> & { readonly id: string }) {
  const words = formatActor(id, names);
  return id.startsWith("user_") && names.has(id) ? <Link to={paths.user(id)}>{words}</Link> : words;
}
