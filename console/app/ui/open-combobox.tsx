/** The searchable list of a `ComboField`, loaded at its first use. */
import { Combobox } from "@base-ui/react/combobox";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Check } from "lucide-react";
import { type ComponentProps, useLayoutEffect, useRef, useState } from "react";
import css from "./combobox.module.css";
import { Icon } from "./icon.tsx";

export type ComboOption = {
  readonly value: string;
  readonly label: string;
  /** Beside the label, such as when a repository was last pushed to. */
  readonly detail?: string;
};

type Props = {
  readonly options: readonly ComboOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Said if no option matches. */
  readonly empty: string;
  /** Below the options; null: nothing. */
  readonly note: string | null;
  /** Whether it is open from the beginning. */
  readonly isOpen: boolean;
  /** What the user typed while this was loading; null: nothing. */
  readonly typed: string | null;
  /** Called with the input's text when the user types, and with nothing when the list closes. */
  readonly onSearch?: ((text: string) => void) | undefined;
  /** The options are already the matching ones. */
  readonly isFiltered?: boolean | undefined;
  readonly input: ComponentProps<"input">;
};

export function OpenCombobox({
  options,
  value,
  onChange,
  empty,
  note,
  isOpen,
  typed,
  onSearch,
  isFiltered = false,
  input,
}: Props) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // It replaces the input that had the focus, unless the focus has moved meanwhile.
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) field.current?.focus();
    if (typed === null || field.current === null) return;
    // As if it was typed now, so that the first match is highlighted, and Enter takes it.
    field.current.setRangeText(typed, 0, field.current.value.length, "end");
    field.current.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  }, []);
  // A modal dialog is above the page: what is outside of it cannot be used.
  const [dialog] = useState(() => document.querySelector<HTMLElement>("dialog:modal"));
  const chosen = useChosen(options, value);
  return (
    // The policy of the page allows no style elements.
    <CSPProvider disableStyleElements>
      <Combobox.Root
        items={options}
        defaultOpen={isOpen}
        autoHighlight
        {...(isFiltered ? { filter: null } : {})}
        onInputValueChange={(text: string, { reason }: { reason: string }) => {
          if (reason === "input-change" || reason === "input-clear") onSearch?.(text);
        }}
        onOpenChangeComplete={(isNowOpen: boolean) => {
          if (!isNowOpen) onSearch?.("");
        }}
        value={chosen}
        onValueChange={(next: ComboOption | null) => onChange(next?.value ?? "")}
        itemToStringLabel={({ label }: ComboOption) => label}
        isItemEqualToValue={(one: ComboOption, other: ComboOption) => one.value === other.value}
      >
        <Combobox.Input
          {...input}
          className={input.className ?? ""}
          ref={field}
          // The next typed text replaces the present choice.
          onFocus={(event) => event.currentTarget.select()}
        />
        <Combobox.Portal container={dialog ?? undefined}>
          <Combobox.Positioner
            className={css["positioner"]}
            align="start"
            sideOffset={4}
            positionMethod={dialog === null ? "absolute" : "fixed"}
          >
            <Combobox.Popup className={css["popup"]}>
              <Combobox.Empty>
                <p className={css["empty"]}>{empty}</p>
              </Combobox.Empty>
              <Combobox.List className={css["list"]}>
                {(option: ComboOption) => (
                  <Combobox.Item key={option.value} value={option} className={css["item"]}>
                    <span className={css["label"]}>{option.label}</span>
                    {option.detail === undefined ? null : <small>{option.detail}</small>}
                    <Combobox.ItemIndicator className={css["check"]}>
                      <Icon of={Check} />
                    </Combobox.ItemIndicator>
                  </Combobox.Item>
                )}
              </Combobox.List>
              <Combobox.Status className={css["note"]}>{note}</Combobox.Status>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </CSPProvider>
  );
}

/**
 * The chosen option also while only the options that match another text are given; null: none is chosen. It stays the same
 * object while its texts do: a changed one would replace what the user types.
 */
function useChosen(options: readonly ComboOption[], value: string): ComboOption | null {
  const [known, setKnown] = useState<ComboOption | null>(null);
  if (value === "") return null;
  const before = known?.value === value ? known : { value, label: value };
  const chosen = options.find((one) => one.value === value) ?? before;
  if (known !== null && known.value === value && known.label === chosen.label) return known;
  setKnown(chosen);
  return chosen;
}
