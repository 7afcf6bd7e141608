/** One name in all scopes: what it is in each, what it was, and what can be done. */
import { useState } from "react";
import { slipway } from "../../api/client.ts";
import {
  type Cell,
  isSecret,
  KINDS,
  type MatrixRow,
  ownerOf,
  formatOrigin,
  formatValue,
} from "../../api/variable-matrix.ts";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Between, Fine, Quiet, Row } from "../../ui/layout.tsx";
import { When } from "../../ui/time.tsx";
import { ConfirmButton } from "../confirm.tsx";
import { LinkButton } from "../link.tsx";
import { ShownValue, VariableState } from "./shown-value.tsx";
import { VariableHistory } from "./variable-history.tsx";
import css from "./variables.module.css";

type Props = { readonly row: MatrixRow; readonly reason: string | null; readonly onClose: () => void };

export function VariableDialog({ row: { name, cells }, reason, onClose }: Props) {
  return (
    <Dialog title={<code>{name}</code>} isWide onClose={onClose}>
      {cells.map((cell) => (
        <InScope key={cell.scope.id} name={name} cell={cell} reason={reason} />
      ))}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function InScope({
  name,
  cell,
  reason,
}: {
  readonly name: string;
  readonly cell: Cell;
  readonly reason: string | null;
}) {
  const { scope, variable, own } = cell;
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const to =
    scope.kind === "environment"
      ? paths.setEnvironmentVariable(scope.id)
      : paths.setServiceVariable(scope.id);
  const of = `${name} of ${scope.name}`;
  const action = own === null ? "Set" : "Edit";
  return (
    <section className={css["scope"]}>
      <Between>
        <h3>{scope.kind === "environment" ? `${scope.name}, for all services` : scope.name}</h3>
        <Row>
          <LinkButton
            size="small"
            to={to}
            search={{ name }}
            label={`${action} ${of}`}
            disabledReason={reason}
          >
            {action}
          </LinkButton>
          {own === null || own.state === "REMOVING" ? null : (
            <ConfirmButton
              label="Delete"
              name={`Delete ${of}`}
              size="small"
              disabledReason={reason}
              title={`Delete ${of}?`}
              consequences={consequencesOf(cell)}
              action="Delete variable"
              work={() => slipway.variables.delete(ownerOf(scope), name)}
              said={`${of} is deleted.`}
              refreshes={["variables", "services"]}
            />
          )}
        </Row>
      </Between>
      {variable === null ? (
        <p>
          <Quiet>Not set.</Quiet>
        </p>
      ) : (
        <>
          <p>
            <ShownValue of={variable} />
          </p>
          <Fine>
            {KINDS[variable.kind]}, {formatOrigin(cell)}, changed <When at={variable.updatedAt} />
          </Fine>
          <VariableState cell={cell} />
          {variable.source === "config" && own === null ? (
            <Fine>It can be changed in the configuration, or overridden here.</Fine>
          ) : null}
        </>
      )}
      <details open={isHistoryOpen} onToggle={({ currentTarget }) => setHistoryOpen(currentTarget.open)}>
        <summary>
          Earlier values of <code>{name}</code> of {scope.name}
        </summary>
        {isHistoryOpen ? <VariableHistory scope={scope} name={name} reason={reason} /> : null}
      </details>
    </section>
  );
}

function consequencesOf({ own, beneath, scope }: Cell): readonly string[] {
  const who = scope.kind === "environment" ? "The services" : scope.name;
  const next = beneath === null ? "no value" : formatValue(beneath).text;
  return [
    beneath === null
      ? `${who} will have no value under this name, from the next deployment on.`
      : `${who} will have “${next}” in its place, from the next deployment on.`,
    ...(isSecret(own?.kind ?? null)
      ? ["The secret is removed from the cloud account. Slipway keeps no copy, so it cannot be restored."]
      : ["It can be restored from its history."]),
  ];
}
