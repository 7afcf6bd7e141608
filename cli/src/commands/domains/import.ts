import type { DomainImport } from "../../../../sdk/src/index.ts";
import type { Handler } from "../../command.ts";
import { CommandError, EXIT } from "../../failure.ts";
import { findService, WITH_DOMAINS } from "../../lookup.ts";
import { readBytes } from "../../read-text.ts";
import type { Column } from "../../text-table.ts";

type Line = DomainImport["lines"][number];

const COLUMNS: readonly Column<Line>[] = [
  "line",
  "name",
  "fate",
  {
    title: "group",
    of: ({ fate, domainCertificateGroupId: id, domainCertificateGroupName: name }) =>
      fate === "accepted" && id === null ? `${name ?? ""} (new)` : name,
  },
  { title: "why", of: ({ message }) => message, isProse: true },
];

/** What the user has to do something about. */
const REFUSED: ReadonlySet<Line["fate"]> = new Set(["invalid", "taken", "quota"]);

export const importDomains: Handler = async (context, input) => {
  const { client, output, stdin } = context;
  const bytes = await readBytes(input.argument("FILE"), stdin);
  const service = await findService(context, input, undefined, WITH_DOMAINS);
  const groupColumn = input.text("group-column");
  const { dryRun, counts, createdGroups, lines } = await client.request<DomainImport>(
    "POST",
    `/v1/services/${service.id}/domains/import`,
    {
      // The service knows the encodings of spreadsheets, and reads CSV, of which a list of names is the simplest.
      body: bytes,
      headers: { "content-type": "text/csv" },
      query: {
        dryRun: input.isSet("dry-run"),
        namesPerGroup: input.number("per-group"),
        distributionQuota: input.number("distributions"),
        autoDns: input.isSet("auto-dns"),
        groupBy: input.text("group-by") ?? (groupColumn === undefined ? undefined : "column"),
        groupColumn,
      },
    },
  );
  const summary = Object.entries(counts).flatMap(([fate, count]) => (count === 0 ? [] : `${count} ${fate}`));
  output.progress(
    `${dryRun ? "Would add" : "Added"} domains to ${service.name}: ${summary.join(", ")}; new groups: ${createdGroups}.`,
  );
  output.list(lines, COLUMNS);
  const refused = lines.filter(({ fate }) => REFUSED.has(fate));
  if (refused.length === 0) return;
  throw new CommandError(`${refused.length} of ${lines.length} lines are not accepted.`, {
    code: "LINES_REFUSED",
    exitCode: EXIT.ENDED_BADLY,
    hint: "Correct them and import the file again: existing names stay unchanged.",
  });
};
