/** The variables of an environment and its services in one table: what each gets, and from where. */
import { Copy } from "lucide-react";
import { type CSSProperties, type ReactNode, Suspense, useState } from "react";
import {
  type Cell,
  formatOrigin,
  formatValue,
  type MatrixRow,
  type Scope,
  variableMatrix,
} from "../../api/variable-matrix.ts";
import { useScopes } from "../../api/variables.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Between, Empty, Fine, Hidden, Quiet, Row, Skeleton, Stack } from "../../ui/layout.tsx";
import { loadLater } from "../../ui/load-later.ts";
import { Table } from "../../ui/table.tsx";
import { DocsLink } from "../docs-link.tsx";
import { Problem } from "../problem.tsx";
import { ShownValue, VariableState } from "./shown-value.tsx";
import css from "./variables.module.css";

const copyDialog = loadLater(async () => (await import("./copy-dotenv.tsx")).CopyDotenvDialog);
const variableDialog = loadLater(async () => (await import("./variable-dialog.tsx")).VariableDialog);

type Props = {
  /** The environment first. */
  readonly scopes: readonly Scope[];
  /** Why the caller must not change any; null: they may. */
  readonly reason: string | null;
  /** The name whose dialog is open, as the address says. */
  readonly chosen: string | undefined;
  readonly onChoose: (name: string | undefined) => void;
  /** Shown if there are none. */
  readonly first: ReactNode;
};

export function VariableMatrix({ scopes, reason, chosen, onChoose, first }: Props) {
  const { scopes: filled, error } = useScopes(scopes);
  const [isCopying, setCopying] = useState(false);
  if (error !== null) return <Problem error={error} />;
  if (filled === undefined) return <Skeleton lines={8} label="Loading variables" />;
  const rows = variableMatrix(filled);
  const open = rows.find(({ name }) => name === chosen);
  if (rows.length === 0)
    return (
      <Empty
        title="No variables yet"
        action={
          <Row>
            {first}
            <DocsLink chapter="Environment variables" />
          </Row>
        }
      >
        A variable is a setting that services read when they start. Set one, or paste a whole .env file.
        Secrets are stored in your cloud account and never shown.
      </Empty>
    );
  return (
    <Stack>
      <Between>
        <Fine>
          {rows.length === 1 ? "1 variable" : `${rows.length} variables`}. A value of a service takes
          precedence over one of the environment.
        </Fine>
        <Button size="small" onPointerEnter={copyDialog.prefetch} onClick={() => setCopying(true)}>
          <Icon of={Copy} size={14} /> Copy as .env
        </Button>
      </Between>
      <Rows rows={rows} scopes={scopes} onChoose={onChoose} />
      <Suspense>
        {open === undefined ? null : (
          <variableDialog.Component row={open} reason={reason} onClose={() => onChoose(undefined)} />
        )}
        {isCopying ? (
          <copyDialog.Component rows={rows} scopes={scopes} onClose={() => setCopying(false)} />
        ) : null}
      </Suspense>
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
          filterBy={textOf}
          columns={[
            {
              label: "Name",
              cell: ({ name }) => (
                <button
                  type="button"
                  className={css["name"]}
                  onPointerEnter={variableDialog.prefetch}
                  onClick={() => onChoose(name)}
                >
                  <code>{name}</code>
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

/** What a variable is found by: its name, and the values that are shown. */
function textOf({ name, cells }: MatrixRow): string {
  const values = cells.map(({ variable }) => (variable === null ? "" : formatValue(variable).text));
  return [name, ...values].join("\n");
}

function ValueCell({ cell }: { readonly cell: Cell | undefined }) {
  if (cell === undefined) return null;
  const { variable, origin, own } = cell;
  if (variable === null)
    return own?.state === "REMOVING" ? (
      <Quiet>being removed</Quiet>
    ) : (
      <Quiet>
        <span aria-hidden="true">–</span>
        <Hidden>not set</Hidden>
      </Quiet>
    );
  const isPlain = origin === "own" && variable.source === "api";
  return (
    <span className={css["cell"]} data-inherited={origin === "inherited" || undefined}>
      <ShownValue of={variable} />
      {isPlain ? null : <small>{formatOrigin(cell)}</small>}
      {origin === "inherited" ? null : <VariableState cell={cell} />}
    </span>
  );
}
