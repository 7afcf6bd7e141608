import { useNavigate } from "@tanstack/react-router";
import { ListFilter } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Control, TextField } from "../ui/field.tsx";
import css from "./filters.module.css";

type Search = Readonly<Record<string, string | undefined>>;

/** Typing settles before a list is read. */
const SETTLE_MS = 250;

/** The fields that choose what of a list is shown; what they hold is in the address. */
export function Filters({
  label,
  count = 0,
  children,
}: {
  readonly label: string;
  /** How many are set, for a phone, which shows the fields only if they are wanted. */
  readonly count?: number;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <search aria-label={label}>
      <div className={css["toggle"]}>
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <Icon of={ListFilter} />
          {count === 0 ? "Filter" : `Filter (${count} set)`}
        </Button>
      </div>
      <div id={id} className={css["filters"]} data-open={isOpen}>
        {children}
      </div>
    </search>
  );
}

/** What of a list is shown, and what changes that. @param search what the address says now */
export function useFilter<S extends Search>(search: S) {
  const navigate = useNavigate();
  const show = (chosen: Search) =>
    void navigate({ to: ".", search: onlySet(chosen) as never, replace: true, resetScroll: false });
  const set = (changes: { readonly [N in keyof S]?: string }) => show({ ...search, ...changes });
  const count = Object.keys(onlySet(search)).length;
  return {
    isFiltered: count > 0,
    count,
    set,
    clear: () => show({}),
    /** What a field of `ui/field.tsx` needs for one name of the address. */
    field: (name: keyof S & string): Control<string> => ({
      name,
      value: search[name] ?? "",
      onChange: (value) => set({ [name]: value.trim() } as { [N in keyof S]?: string }),
      fault: null,
    }),
  };
}

/** A text to filter by. It keeps what is typed until that settles, so that an answer never replaces it. */
export function FilterText({
  value,
  onChange,
  choices = [],
  ...rest
}: Control<string> & {
  readonly label: string;
  readonly placeholder: string;
  /** Suggestions, shown while the user types. */
  readonly choices?: readonly string[];
}) {
  const listId = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `onChange` is made anew at each rendering
  }, [typed, value]);
  // A filter that was cleared elsewhere is cleared here.
  useEffect(() => setTyped(value), [value]);
  return (
    <>
      <TextField
        {...rest}
        type="search"
        value={typed}
        onChange={setTyped}
        list={choices.length === 0 ? undefined : listId}
      />
      {choices.length === 0 ? null : (
        <datalist id={listId}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Without what is empty, for an address that names only what is chosen. */
function onlySet(search: Search): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(search).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
    ),
  );
}
