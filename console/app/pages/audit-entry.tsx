import type { AuditEntry } from "../../../sdk/src/generated/types.ts";
import { tellField } from "../api/field-words.ts";
import { read, useLater } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Facts, Quiet } from "../ui/layout.tsx";
import { tellInstant } from "../ui/time.tsx";
import css from "./audit-entry.module.css";
import { type Change, changesOf, formatActor, formatWorkload, nameInEntry, pageOf } from "./audit-words.ts";

/** Names of users, keys, webhooks and git integrations, by id. */
type Names = { readonly names: ReadonlyMap<string, string> };

/** All that an entry records. */
export function EntryDetails({ entry, names }: Names & { readonly entry: AuditEntry }) {
  const { action, at, userId, apiKeyId, resourceId, sourceAddress, requestId, details } = entry;
  const { names: set, changes } = changesOf(details);
  return (
    <div className={css["details"]}>
      {changes.length === 0 && set.length === 0 ? null : (
        <ul>
          {set.map((name) => (
            <li key={name} data-literal>
              {name}
            </li>
          ))}
          {changes.map((change) => (
            <li key={change.field}>
              <ChangeLine of={change} names={names} />
            </li>
          ))}
        </ul>
      )}
      <Facts
        of={[
          ["Time", tellInstant(at)],
          ["User", formatActor(userId, names)],
          ["Job", formatWorkload(details)],
          ["API key", names.get(apiKeyId) ?? null],
          ["Source address", sourceAddress],
          ["Action in filters", <code>{action}</code>],
          ["Resource id", <Copyable text={resourceId} shown={short(resourceId)} what="the resource's id" />],
          ["Request id", <Copyable text={requestId} shown={short(requestId)} what="the request's id" />],
        ]}
      />
    </div>
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
export function Resource({ entry, names }: Names & { readonly entry: AuditEntry }) {
  const { resourceId } = entry;
  const name = useName(resourceId.split("/")[0] ?? "", nameInEntry(entry) ?? names.get(resourceId) ?? null);
  const page = pageOf(resourceId);
  if (name === null && page === null)
    return <Copyable text={resourceId} shown={short(resourceId)} what="the resource's id" />;
  const words = name ?? short(resourceId);
  return (
    <span title={resourceId} data-literal>
      {page === null ? words : <Link to={page}>{words}</Link>}
    </span>
  );
}

function short(id: string): string {
  return id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
}

/** A field with its value before and after. */
export function ChangeLine({ of: { field, before, after }, names }: Names & { readonly of: Change }) {
  const isId = IDS.test(after ?? before ?? "");
  return (
    <>
      <Quiet>{names.get(field) ?? tellField(isId ? field.replace(/Ids?$/, "") : field)}: </Quiet>
      {before === null ? null : <Value of={before} names={names} />}
      {before === null ? "" : " → "}
      {after === null ? "none" : <Value of={after} names={names} />}
    </>
  );
}

const IDS = /([a-z]+_[a-z\d]{26})/;
/** A state in the words of the API. */
const STATE = /^[A-Z]+(?:_[A-Z]+)+$/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a field; ids in it by the names of their resources. */
function Value({ of, names }: Names & { readonly of: string }) {
  if (INSTANT.test(of)) return tellInstant(of);
  if (STATE.test(of)) return of.replaceAll("_", " ").toLowerCase();
  return of
    .split(IDS)
    .map((part, index) =>
      index % 2 === 0 ? part : <Named key={`${index} ${part}`} id={part} names={names} />,
    );
}

function Named({ id, names }: Names & { readonly id: string }) {
  return <span title={id}>{useName(id, names.get(id) ?? null) ?? short(id)}</span>;
}
