import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { CheckField } from "../ui/field.tsx";
import { Table } from "../ui/table.tsx";
import { GO_KEYS, hasSingleKeys, setSingleKeys } from "./shortcuts.ts";

const ROWS = [
  { keys: "Ctrl K or ⌘ K", words: "Search, go, or do something" },
  { keys: "/", words: "Filter the list of the page, or search" },
  { keys: "?", words: "Show these shortcuts" },
  ...Object.entries(GO_KEYS).map(([key, { words }]) => ({ keys: `g, then ${key}`, words: `Go to ${words}` })),
];

export function ShortcutsHelp({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Table
        caption="Keyboard shortcuts"
        columns={[
          { label: "Keys", cell: ({ keys }) => <kbd>{keys}</kbd> },
          { label: "What they do", wraps: true, cell: ({ words }) => words },
        ]}
        rows={ROWS}
        keyOf={({ keys }) => keys}
      />
      <CheckField
        label="Shortcuts of single keys"
        hint="Turn them off if you speak your input, or if they get in the way."
        name="singleKeys"
        value={isOn}
        onChange={(next) => {
          setSingleKeys(next);
          setOn(next);
        }}
        fault={null}
      />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
