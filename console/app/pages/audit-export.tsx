import type { AuditEntriesListQuery, AuditEntry } from "../../../sdk/src/generated/types.ts";
import { auditCsv } from "./audit-words.ts";
import { slipway } from "../api/client.ts";
import { ActionButton } from "../components/confirm.tsx";
import { saveFile } from "../ui/save-file.ts";

const PAGE = 100;

type Props = { readonly query: AuditEntriesListQuery; readonly names: ReadonlyMap<string, string> };

/** Saves all entries that the filter finds, not only those shown. */
export function ExportButtons({ query, names }: Props) {
  return (
    <>
      <ActionButton
        label="Export CSV"
        work={() => readAll(query)}
        refreshes={[]}
        onDone={(entries) => saveFile("audit.csv", "text/csv", [auditCsv(entries, names)])}
      />
      <ActionButton
        label="Export JSON Lines"
        work={() => readAll(query)}
        refreshes={[]}
        onDone={(entries) =>
          saveFile(
            "audit.jsonl",
            "application/x-ndjson",
            entries.map((entry) => `${JSON.stringify(entry)}\n`),
          )
        }
      />
    </>
  );
}

async function readAll(query: AuditEntriesListQuery): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = [];
  for await (const entry of slipway.auditEntries.list({ ...query, limit: PAGE })) all.push(entry);
  return all;
}
