import type { EnvVariable, EnvVariablesPlan } from "../../../../sdk/src/generated/types.ts";
import {
  CHANGES,
  type PastedKind,
  PASTED_KINDS,
  previewRows,
  formatPlan,
  formatValues,
} from "../../api/dotenv-preview.ts";
import { KINDS } from "../../api/variable-matrix.ts";
import { Badge, Fine, Quiet, Section, Skeleton } from "../../ui/layout.tsx";
import { Table } from "../../ui/table.tsx";
import css from "./variables.module.css";

type Props = {
  /** Undefined until the API has answered. */
  readonly plan: EnvVariablesPlan | undefined;
  readonly isAsking: boolean;
  /** Those of the text, whose kind can be chosen. */
  readonly variables: ReadonlyMap<string, string>;
  /** The variables that are set in the scope. */
  readonly present: readonly EnvVariable[];
  readonly onKind: (name: string, kind: PastedKind) => void;
};

/** What saving would do, variable by variable. Secrets are never shown. */
export function Preview({ plan, isAsking, variables, present, onKind }: Props) {
  return (
    <Section title="What this changes">
      <p role="status">
        {plan === undefined || isAsking ? "Checking what changes…" : `${formatPlan(plan)}.`}
      </p>
      {plan === undefined ? (
        <Skeleton lines={4} label="Loading the preview" />
      ) : (
        <Table
          caption="What this changes"
          rows={previewRows(plan)}
          keyOf={({ name }) => name}
          columns={[
            { label: "Variable", cell: ({ name }) => <code>{name}</code> },
            {
              label: "Change",
              wraps: true,
              cell: ({ change, note }) => {
                const [words, tone] = CHANGES[change];
                return (
                  <>
                    <Badge tone={tone}>{words}</Badge>
                    {note === null ? null : <Fine>{note}</Fine>}
                  </>
                );
              },
            },
            {
              label: "Before → after",
              wraps: true,
              cell: (row) => (
                <ValueChange
                  {...formatValues(
                    row,
                    present.find(({ name, source }) => name === row.name && source === "api") ?? null,
                    variables.get(row.name),
                  )}
                />
              ),
            },
            {
              label: "Stored as",
              cell: ({ name, kind }) =>
                variables.has(name) ? (
                  <select
                    aria-label={`How ${name} is stored`}
                    value={kind}
                    onChange={({ target }) => onKind(name, target.value as PastedKind)}
                  >
                    {PASTED_KINDS.map((one) => (
                      <option key={one} value={one}>
                        {KINDS[one]}
                      </option>
                    ))}
                  </select>
                ) : (
                  KINDS[kind]
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

function ValueChange({ before, after }: ReturnType<typeof formatValues>) {
  if (before === after) return <Shown text={after} />;
  return (
    <>
      <Shown text={before} /> → <Shown text={after} />
    </>
  );
}

function Shown({ text }: { readonly text: string | null }) {
  return text === null ? <Quiet>not set</Quiet> : <code className={css["changed"]}>{text}</code>;
}
