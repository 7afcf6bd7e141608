/** The variables of a scope as a `.env`, to copy or to save. */
import { useRef, useState } from "react";
import { dotenvOf } from "../../api/dotenv-copy.ts";
import type { MatrixRow, Scope } from "../../api/variable-matrix.ts";
import { Button } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Fine, Stack } from "../../ui/layout.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Notice } from "../problem.tsx";
import css from "./variables.module.css";

type Props = {
  readonly rows: readonly MatrixRow[];
  readonly scopes: readonly Scope[];
  readonly onClose: () => void;
};

export function CopyDotenvDialog({ rows, scopes, onClose }: Props) {
  // A page of a service is about the service.
  const first = scopes.length === 2 ? scopes[1] : scopes[0];
  const [chosen, setChosen] = useState(first?.id ?? "");
  const code = useRef<HTMLPreElement>(null);
  const index = scopes.findIndex(({ id }) => id === chosen);
  const scope = scopes[index];
  const variables = rows.flatMap(({ cells }) => cells[index]?.variable ?? []);
  const { text, leftOut } = dotenvOf(
    variables,
    (serviceId) => scopes.find(({ id }) => id === serviceId)?.name ?? "another service",
  );
  return (
    <Dialog title="Copy as .env" isWide onClose={onClose}>
      <Stack>
        <SelectField
          label="Variables of"
          name="scope"
          options={scopes.map(({ id, name, kind }) => [
            id,
            kind === "environment" ? `${name}, for all services` : name,
          ])}
          hint={scope?.kind === "service" ? "With the variables of its environment." : undefined}
          value={chosen}
          onChange={setChosen}
          fault={null}
        />
        {leftOut.length === 0 ? null : (
          <Notice
            title={
              leftOut.length === 1 ? "One variable is left out" : `${leftOut.length} variables are left out`
            }
          >
            <ul>
              {leftOut.map(({ name, reason }) => (
                <li key={name}>
                  <code>{name}</code>: {reason}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {variables.length === 0 ? (
          <Fine>It has no variables.</Fine>
        ) : (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long texts are scrolled by keys
          <pre ref={code} className={css["dotenv"]} tabIndex={0} aria-label="The .env file">
            {text}
          </pre>
        )}
      </Stack>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          disabledReason={variables.length === 0 ? "It has no variables." : null}
          onClick={() => saveFile(`${scope?.name ?? "variables"}.env`, "text/plain", [text])}
        >
          Download
        </Button>
        <Button
          look="primary"
          disabledReason={variables.length === 0 ? "It has no variables." : null}
          onClick={() => void copyText(text, "the variables", code.current)}
        >
          Copy
        </Button>
      </DialogActions>
    </Dialog>
  );
}
