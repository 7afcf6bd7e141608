/** Labelled controls. The fault of a control is said at it, and read with it. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  startTransition,
  Suspense,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from "react";
import css from "./field.module.css";
import { loadLater } from "./load-later.ts";
import type { ComboOption } from "./open-combobox.tsx";

/** What a form gives to each of its controls. */
export type Control<V> = {
  readonly name: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  /** The field's fault, in a person's words; null: none known. */
  readonly fault: string | null;
};

type Said = { readonly label: string; readonly hint?: ReactNode; readonly isOptional?: boolean };
type Rest<E> = Omit<E, "name" | "value" | "onChange" | "className" | "id">;

/** A label above a control, and what is said below it. */
export function Field({
  id,
  label,
  hint,
  isOptional = false,
  fault,
  children,
}: Said & { readonly id: string; readonly fault: string | null; readonly children: ReactNode }) {
  return (
    <div className={css["field"]}>
      <label className={css["label"]} htmlFor={id}>
        {label}
        {isOptional ? <small> (optional)</small> : null}
      </label>
      {children}
      <Below {...{ id, hint, fault }} />
    </div>
  );
}

/** What a control is described by: how to fill it in, and what is wrong with it. */
function Below({
  id,
  hint,
  fault,
}: Pick<Said, "hint"> & { readonly id: string; readonly fault: string | null }) {
  return (
    <>
      {hint === undefined ? null : (
        <p className={css["hint"]} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault === null ? null : (
        <p className={css["fault"]} id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </>
  );
}

/** What every control has. */
export function commonOf(
  id: string,
  { name, fault }: { name: string; fault: string | null },
  hint: ReactNode,
) {
  const described = [hint === undefined ? "" : `${id}-hint`, fault === null ? "" : `${id}-fault`];
  return {
    id,
    name,
    "aria-invalid": fault === null ? undefined : true,
    "aria-describedby": described.join(" ").trim() || undefined,
  };
}

const PLAIN = { autoComplete: "off", autoCapitalize: "off", spellCheck: false } as const;

export function TextField({
  label,
  hint,
  isOptional,
  name,
  value,
  onChange,
  fault,
  ...rest
}: Said & Control<string> & Rest<InputHTMLAttributes<HTMLInputElement>>) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, fault }} isOptional={isOptional ?? false}>
      <input
        {...PLAIN}
        {...rest}
        {...commonOf(id, { name, fault }, hint)}
        className={css["control"]}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** Several lines. @param props.isCode in letters of one width; `isMasked` as dots, for secrets of several lines */
export function TextArea({
  label,
  hint,
  isOptional,
  isCode = false,
  isMasked = false,
  name,
  value,
  onChange,
  fault,
  ...rest
}: Said &
  Control<string> &
  Rest<TextareaHTMLAttributes<HTMLTextAreaElement>> & {
    readonly isCode?: boolean;
    readonly isMasked?: boolean;
  }) {
  const id = useId();
  const looks = [css["control"], isCode ? css["code"] : "", isMasked ? css["masked"] : ""];
  return (
    <Field {...{ id, label, hint, fault }} isOptional={isOptional ?? false}>
      <textarea
        rows={3}
        {...PLAIN}
        {...rest}
        {...commonOf(id, { name, fault }, hint)}
        className={looks.filter(Boolean).join(" ")}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** One of several. @param props.options pairs of the value and its words */
export function SelectField({
  label,
  hint,
  isOptional,
  options,
  name,
  value,
  onChange,
  fault,
}: Said & Control<string> & { readonly options: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, fault }} isOptional={isOptional ?? false}>
      <select
        {...commonOf(id, { name, fault }, hint)}
        className={css["control"]}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

const combobox = loadLater(async () => (await import("./open-combobox.tsx")).OpenCombobox);

/** One of many, found by typing. Its list is loaded when the user is about to open it. */
export function ComboField({
  label,
  hint,
  isOptional,
  options,
  name,
  value,
  onChange,
  fault,
  placeholder,
  empty = "Nothing matches.",
  note = null,
  onSearch,
  isFiltered,
}: Said &
  Control<string> & {
    readonly options: readonly ComboOption[];
    readonly placeholder?: string;
    /** Said if no option matches. */
    readonly empty?: string;
    /** Below the options, such as that there are more; null: nothing. */
    readonly note?: string | null;
    /** Called with what the user types, to read the options that match, and with nothing when the list closes. */
    readonly onSearch?: (text: string) => void;
    /** The options are already the matching ones. */
    readonly isFiltered?: boolean;
  }) {
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  const [isByPointer, setByPointer] = useState(false);
  // Letters that are typed while the list is loading are not lost.
  const [typed, setTyped] = useState<string | null>(null);
  const input = { ...commonOf(id, { name, fault }, hint), placeholder, className: css["control"] };
  const shown = options.find((one) => one.value === value)?.label ?? value;
  return (
    <Field {...{ id, label, hint, fault }} isOptional={isOptional ?? false}>
      <Suspense>
        {isUsed ? (
          <combobox.Component
            {...{ options, value, onChange, empty, note, onSearch, isFiltered, typed }}
            // The open list hides the label, as all that is not part of it, from screen readers.
            input={{ ...input, "aria-label": label }}
            isOpen={isByPointer}
          />
        ) : (
          <input
            {...PLAIN}
            {...input}
            role="combobox"
            aria-expanded="false"
            value={typed ?? shown}
            onChange={({ target }) => {
              setTyped(target.value);
              // As in the loaded list: no text, no choice.
              if (target.value === "") onChange("");
            }}
            onKeyDown={(event) => {
              // It would send the form with the choice from before the letters.
              if (event.key === "Enter" && typed !== null) event.preventDefault();
            }}
            onPointerEnter={combobox.prefetch}
            onPointerDown={() => setByPointer(true)}
            onFocus={(event) => {
              event.currentTarget.select();
              startTransition(() => setUsed(true));
            }}
          />
        )}
      </Suspense>
    </Field>
  );
}

export function CheckField({ label, hint, name, value, onChange, fault }: Said & Control<boolean>) {
  const id = useId();
  return (
    <div className={css["field"]}>
      <div className={css["check"]}>
        <input
          type="checkbox"
          {...commonOf(id, { name, fault }, hint)}
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </div>
      <Below {...{ id, hint, fault }} />
    </div>
  );
}

/** Some of several. @param props.options pairs of the value and its words */
export function ChecksField({
  label,
  hint,
  options,
  name,
  value,
  onChange,
  fault,
}: Said & Control<readonly string[]> & { readonly options: readonly (readonly [string, string])[] }) {
  return (
    <FieldSet {...{ label, hint, name, fault }} className={css["choices"]}>
      {options.map(([one, words]) => (
        <label key={one} className={css["check"]}>
          <input
            type="checkbox"
            name={name}
            value={one}
            checked={value.includes(one)}
            onChange={(event) =>
              onChange(event.target.checked ? [...value, one] : value.filter((other) => other !== one))
            }
          />
          {words}
        </label>
      ))}
    </FieldSet>
  );
}

/** Several controls with a legend above, and what is said below them. @param props.className how they are laid out */
export function FieldSet({
  label,
  hint,
  name,
  fault,
  className = "",
  children,
}: Omit<Said, "isOptional"> &
  Pick<Control<unknown>, "name" | "fault"> & {
    readonly className?: string | undefined;
    readonly children: ReactNode;
  }) {
  const id = useId();
  return (
    <fieldset
      className={`${css["set"]} ${className}`}
      aria-describedby={commonOf(id, { name, fault }, hint)["aria-describedby"]}
    >
      <legend>{label}</legend>
      {children}
      <Below {...{ id, hint, fault }} />
    </fieldset>
  );
}
