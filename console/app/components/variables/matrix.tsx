/** The variables of an environment and its services in one table: what each gets, and from where. */
import type { CSSProperties } from "react";
import { useState } from "react";
import { useScopes } from "../../api/variables.ts";
import {
  type Cell,
  type MatrixRow,
  type Scope,
  tellOrigin,
  variableMatrix,
} from "../../api/variable-matrix.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Empty, Fine, Skeleton, Stack } from "../../ui/layout.tsx";
import { Table } from "../../ui/table.tsx";
import { Problem } from "../problem.tsx";
import { ShownValue, VariableState } from "./shown-value.tsx";
import { VariableDialog } from "./variable-dialog.tsx";
import css from "./variables.module.css";

/** With at least this many variables, a search field is shown. */
const MANY = 8;

type Props = {
  /** The environment first. */
  readonly scopes: readonly Scope[];
  /** Why the caller must not change any; null: they may. */
  readonly reason: string | null;
  /** The name whose dialog is open, as the address says. */
  readonly chosen: string | undefined;
  readonly onChoose: (name: string | undefined) => void;
  /** Shown if there are none. */
  readonly first: React.ReactNode;
};

export function VariableMatrix({ scopes, reason, chosen, onChoose, first }: Props) {
  const { scopes: filled, error } = useScopes(scopes);
  const [sought, setSought] = useState("");
  if (error !== null) return <Problem error={error} />;
  if (filled === undefined) return <Skeleton lines={8} label="Loading variables" />;
  const all = variableMatrix(filled);
  const rows = all.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const open = all.find(({ name }) => name === chosen);
  return (
    <Stack>
      {all.length < MANY ? null : (
        <TextField
          label="Find a variable"
          type="search"
          name="sought"
          value={sought}
          onChange={setSought}
          fault={null}
        />
      )}
      {all.length === 0 ? (
        <Empty title="No variables yet" action={first}>
          Set one, or paste a whole .env file. Secrets are stored in your cloud account and never shown.
        </Empty>
      ) : rows.length === 0 ? (
        <Empty
          title="No variable matches"
          action={<Button onClick={() => setSought("")}>Clear the filter</Button>}
        />
      ) : (
        <Rows rows={rows} scopes={scopes} onChoose={onChoose} />
      )}
      {open === undefined ? null : (
        <VariableDialog row={open} reason={reason} onClose={() => onChoose(undefined)} />
      )}
    </Stack>
  );
}

function Rows({
  rows,
  scopes,
  onChoose,
}: {
  readonly rows: readonly MatrixRow[];
  readonly scopes: readonly Scope[];
  readonly onChoose: (name: string) => void;
}) {
  const columns = { "--columns": scopes.length + 1 } as CSSProperties;
  return (
    // Focusable, so that it can be scrolled by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css["scroll"]} tabIndex={0} role="group" aria-label="Variables by scope">
      <div className={css["inside"]} style={columns}>
        <Table
          caption="Variables"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            {
              label: "Name",
              cell: ({ name }) => (
                <button type="button" className={css["name"]} onClick={() => onChoose(name)}>
                  {name}
                </button>
              ),
            },
            ...scopes.map((scope, index) => ({
              label: scope.kind === "environment" ? `${scope.name} (all services)` : scope.name,
              cell: ({ cells }: MatrixRow) => <ValueCell cell={cells[index]} />,
            })),
          ]}
        />
      </div>
    </div>
  );
}

function ValueCell({ cell }: { readonly cell: Cell | undefined }) {
  if (cell === undefined) return null;
  const { variable, origin, own } = cell;
  if (variable === null) return <Fine>{own?.state === "REMOVING" ? "being removed" : "not set"}</Fine>;
  return (
    <div className={origin === "inherited" ? css["inherited"] : undefined}>
      <ShownValue of={variable} />
      <Fine>{tellOrigin(cell)}</Fine>
      {origin === "inherited" ? null : <VariableState cell={cell} />}
    </div>
  );
}
