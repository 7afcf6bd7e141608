import type { AuditEntry } from "../../../sdk/src/generated/types.ts";
import { changesOf, nameInEntry, pageOf, tellAction, tellActor, tellWorkload } from "./audit-words.ts";
import { tellField } from "../api/field-words.ts";
import { read, useLater } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import type { moreOf } from "../components/more.ts";
import { paths } from "../paths.ts";
import { Copyable, CopyButton } from "../ui/copy.tsx";
import { Fine, Quiet } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { tellInstant, When } from "../ui/time.tsx";

type Props = {
  readonly entries: readonly AuditEntry[];
  /** Of users, keys, webhooks and git integrations, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly more: ReturnType<typeof moreOf>;
};

export function AuditTable({ entries, names, more }: Props) {
  const columns: readonly Column<AuditEntry>[] = [
    {
      label: "What",
      wraps: true,
      share: 15,
      cell: ({ action }) => <span title={action}>{tellAction(action)}</span>,
    },
    { label: "Which", share: 22, cell: (entry) => <Resource entry={entry} names={names} /> },
    {
      label: "Change",
      wraps: true,
      share: 30,
      cell: ({ details }) => <Changes of={details} names={names} />,
    },
    {
      label: "Who",
      share: 21,
      cell: ({ userId, sourceAddress, details }) => (
        <>
          {isUser(userId) && names.has(userId) ? (
            <Link to={paths.user(userId)}>{tellActor(userId, names)}</Link>
          ) : (
            tellActor(userId, names)
          )}
          {tellWorkload(details) === null ? null : <Fine>{tellWorkload(details)}</Fine>}
          {sourceAddress === null ? null : <Fine>{sourceAddress}</Fine>}
        </>
      ),
    },
    {
      label: "When",
      share: 12,
      cell: ({ at, requestId }) => (
        <>
          <When at={at} />
          <Fine>
            <CopyButton text={requestId} what="the request's id" />
          </Fine>
        </>
      ),
    },
  ];
  return (
    <Table
      caption="Audit entries, newest first"
      columns={columns}
      rows={entries}
      keyOf={({ id }) => id}
      more={more}
    />
  );
}

/** Kinds whose names the search of the console finds by their id. */
const FOUND = /^(?:proj|env|svc|depl|dom|group|aws)_/;

/** What a resource is called; null if that is not known. @param known its name, if an entry or a list says it */
function useName(id: string, known: string | null): string | null {
  const { data } = useLater(read("search", "find", { q: id, limit: 1 }), {
    isWanted: known === null && FOUND.test(id),
  });
  const hit = data?.hits.find((one) => one.id === id);
  return known ?? (hit?.type === "deployment" ? (hit.name ?? hit.commit) : hit?.name) ?? null;
}

/** The changed resource, by its name if that is known, with a link to its page. */
function Resource({ entry, names }: Pick<Props, "names"> & { readonly entry: AuditEntry }) {
  const { resourceId } = entry;
  const name = useName(resourceId.split("/")[0] ?? "", nameInEntry(entry) ?? names.get(resourceId) ?? null);
  const page = pageOf(resourceId);
  if (name === null && page === null)
    return <Copyable text={resourceId} shown={short(resourceId)} what="the resource's id" />;
  const words = name ?? short(resourceId);
  return <span title={resourceId}>{page === null ? words : <Link to={page}>{words}</Link>}</span>;
}

function short(id: string): string {
  return id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
}

function Changes({ of, names }: Pick<Props, "names"> & { readonly of: AuditEntry["details"] }) {
  const { names: set, changes } = changesOf(of);
  if (set.length === 0 && changes.length === 0) return <Quiet>–</Quiet>;
  return (
    <>
      {set.join(", ")}
      {changes.map(({ field, before, after }) => (
        <div key={field}>
          <Quiet>
            {names.get(field) ??
              tellField(IDS.test(after ?? before ?? "") ? field.replace(/Ids?$/, "") : field)}
            :{" "}
          </Quiet>
          {before === null ? null : <Value of={before} names={names} />}
          {before === null ? "" : " → "}
          {after === null ? "none" : <Value of={after} names={names} />}
        </div>
      ))}
    </>
  );
}

const IDS = /([a-z]+_[a-z\d]{26})/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a field; ids in it by the names of what has them. */
function Value({ of, names }: Pick<Props, "names"> & { readonly of: string }) {
  if (INSTANT.test(of)) return tellInstant(of);
  return of
    .split(IDS)
    .map((part, index) =>
      index % 2 === 0 ? part : <Named key={`${index} ${part}`} id={part} names={names} />,
    );
}

function Named({ id, names }: Pick<Props, "names"> & { readonly id: string }) {
  return <span title={id}>{useName(id, names.get(id) ?? null) ?? short(id)}</span>;
}

function isUser(id: string): boolean {
  return id.startsWith("user_");
}
