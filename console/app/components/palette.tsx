/** Goes anywhere, finds anything and does what the shown page offers, by typing. Loaded when it is first opened. */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { read, useLater } from "../api/query.ts";
import { Dialog } from "../ui/dialog.tsx";
import css from "./palette.module.css";
import { PLACES } from "./places.ts";
import { Problem } from "./problem.tsx";
import { type QuickAction, quickActions } from "./quick-actions.ts";
import { pathOfHit, tellHit } from "./search-hits.ts";

type Entry = QuickAction & { readonly where: string };

/** Before that, the server would find nearly everything. */
const SHORTEST = 2;
const OF_A_KIND = 4;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim());
  const known = useMemo(
    () => [
      ...quickActions().map((action) => ({ ...action, where: "On this page" })),
      ...PLACES.flatMap(({ places }) => places).map(({ words, to }) => ({
        label: `Go to ${words}`,
        to,
        where: "Page",
      })),
    ],
    [],
  );
  const found = useLater(read("search", "find", { q: sought, limit: OF_A_KIND }), {
    isWanted: sought.length >= SHORTEST,
  });
  const hits = sought.length < SHORTEST ? [] : (found.data?.hits ?? []);
  const entries: readonly Entry[] = [
    ...known.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase())),
    ...hits.flatMap((hit) => {
      const to = pathOfHit(hit);
      return to === null ? [] : [{ ...tellHit(hit), to, id: hit.id }];
    }),
  ];
  const take = ({ to, run }: Entry) => {
    onClose();
    if (to !== undefined) void navigate({ to });
    run?.();
  };
  return (
    // It would add a style to the page, which the policy refuses.
    <CSPProvider disableStyleElements>
      <Dialog title="Search or do" onClose={onClose}>
        <Autocomplete.Root
          items={entries}
          filter={null}
          value={text}
          onValueChange={setText}
          inline
          open
          autoHighlight="always"
          itemToStringValue={({ label }: Entry) => label}
        >
          <Autocomplete.Input
            className={css["input"] ?? ""}
            aria-label="Search or do"
            placeholder="A page, an action, a name, an id, a commit"
            autoFocus
          />
          <Autocomplete.Status className={css["status"] ?? ""}>
            {found.isFetching && sought.length >= SHORTEST ? "Searching…" : `${entries.length} found`}
          </Autocomplete.Status>
          <Autocomplete.List className={css["list"] ?? ""} aria-label="Found">
            {(entry: Entry) => (
              <Autocomplete.Item
                key={`${entry.where} ${entry.label} ${entry.to ?? ""}`}
                value={entry}
                className={css["item"] ?? ""}
                onClick={() => take(entry)}
              >
                <span>{entry.label}</span> <small>{entry.where}</small>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Root>
        {found.error === null ? null : <Problem error={found.error} />}
      </Dialog>
    </CSPProvider>
  );
}
