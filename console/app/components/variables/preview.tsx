import type { EnvVariablesPlan } from "../../../../sdk/src/generated/types.ts";
import { CHANGES, type PastedKind, PASTED_KINDS, previewRows, tellPlan } from "../../api/dotenv-preview.ts";
import { KINDS } from "../../api/variable-matrix.ts";
import { Badge, Fine, Section, Skeleton } from "../../ui/layout.tsx";
import { Table } from "../../ui/table.tsx";

type Props = {
  /** Undefined until the API has answered. */
  readonly plan: EnvVariablesPlan | undefined;
  readonly isAsking: boolean;
  /** Whether a variable is in the text, so that it can be chosen how it is stored. */
  readonly isGiven: (name: string) => boolean;
  readonly onKind: (name: string, kind: PastedKind) => void;
};

/** What saving would do, variable by variable. Values are not repeated. */
export function Preview({ plan, isAsking, isGiven, onKind }: Props) {
  return (
    <Section title="What this changes">
      <p role="status">{plan === undefined || isAsking ? "Looking…" : `${tellPlan(plan)}.`}</p>
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
              label: "Stored as",
              cell: ({ name, kind }) =>
                isGiven(name) ? (
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
