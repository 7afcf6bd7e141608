import { useId } from "react";
import css from "./color-field.module.css";
import { commonOf, type Control, Field } from "./field.tsx";

/** Whether a text is `#rrggbb`. */
export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** A colour: typed as `#rrggbb`, or chosen with the browser's picker. @param props.usual the colour if it is empty */
export function ColorField({
  label,
  hint,
  usual,
  name,
  value,
  onChange,
  fault,
}: Control<string> & { readonly label: string; readonly hint?: string; readonly usual: string }) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, fault }}>
      <div className={css["both"]}>
        <input
          type="color"
          aria-label={`${label}: choose`}
          value={isColor(value) ? value.toLowerCase() : usual}
          onChange={({ target }) => onChange(target.value)}
        />
        <input
          {...commonOf(id, { name, fault }, hint)}
          autoComplete="off"
          spellCheck={false}
          placeholder={usual}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
    </Field>
  );
}
