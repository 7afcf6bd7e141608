/** The result of each line of an import: refused lines by their reason, then all lines with their groups. */
import { useState } from "react";
import type { DomainImport, ImportedLine, ImportFate } from "../../../sdk/src/generated/types.ts";
import { groupRefusals } from "../api/import-words.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Fine, Hidden, Section, type Tone } from "../ui/layout.tsx";
import css from "./import-preview.module.css";

/** How many rows are drawn at a time: thousands of rows at once make a page slow. */
const ROWS = 200;

const FATES: Readonly<Record<ImportFate, readonly [string, Tone]>> = {
  invalid: ["Not valid", "bad"],
  taken: ["Used elsewhere", "bad"],
  quota: ["No room", "bad"],
  accepted: ["New", "good"],
  duplicate: ["There already", "calm"],
  skipped: ["Skipped", "calm"],
};
const ORDER = Object.keys(FATES);

export function ImportPreview({
  answer: { lines, counts, createdGroups },
}: {
  readonly answer: DomainImport;
}) {
  const [shown, setShown] = useState(ROWS);
  const sorted = lines.toSorted((a, b) => ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate) || a.line - b.line);
  const refused = counts.invalid + counts.taken + counts.quota;
  return (
    <Section title="Result of each line">
      <p role="status">
        New: {counts.accepted}, in new groups: {createdGroups}. There already: {counts.duplicate}. Refused:{" "}
        {refused}. Skipped: {counts.skipped}.
      </p>
      <Reasons lines={lines} />
      <div className={css["scroll"]} role="region" aria-label="Result of each line" tabIndex={0}>
        <table className={css["table"]}>
          <caption>
            <Hidden>Result of each line</Hidden>
          </caption>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Name</th>
              <th scope="col">Group</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map((line) => (
              <tr key={line.line}>
                <td className={css["number"]}>{line.line}</td>
                <th scope="row">
                  <code>{line.name}</code>
                  {/* The reasons of refused lines are above, each once. */}
                  {line.message === null || FATES[line.fate][1] === "bad" ? null : (
                    <Fine>It {line.message}.</Fine>
                  )}
                </th>
                <td>
                  <GroupOf line={line} />
                </td>
                <td>
                  <Badge tone={FATES[line.fate][1]} status={line.fate}>
                    {FATES[line.fate][0]}
                  </Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {sorted.length <= shown ? null : (
          <p className={css["more"]}>
            <Button size="small" onClick={() => setShown(shown + ROWS)}>
              Show more
            </Button>{" "}
            {sorted.length - shown} more lines
          </p>
        )}
      </div>
    </Section>
  );
}

function GroupOf({ line }: { readonly line: ImportedLine }) {
  const { fate, domainCertificateGroupId: id, domainCertificateGroupName: name } = line;
  if (name === null) return "–";
  return (
    <>
      {name}
      {fate === "accepted" && id === null ? <Fine>new</Fine> : null}
    </>
  );
}

function Reasons({ lines }: Pick<DomainImport, "lines">) {
  const reasons = groupRefusals(lines);
  if (reasons.length === 0) return null;
  return (
    <ul className={css["reasons"]}>
      {reasons.map(({ message, count, where }) => (
        <li key={message}>
          <strong>
            {count === 1 ? "One line is refused: it" : `${count} lines are refused. Each`} {message}.
          </strong>{" "}
          <span>{where}</span>
        </li>
      ))}
    </ul>
  );
}
