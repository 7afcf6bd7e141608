import { useId } from "react";
import { type Control, FieldSet } from "./field.tsx";
import css from "./radio-field.module.css";

/** One of a few, each with a sentence. @param props.options the value, its words, and what it means */
export function RadioField({
  label,
  options,
  name,
  value,
  onChange,
  fault,
}: Control<string> & {
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string, meaning: string])[];
}) {
  const id = useId();
  return (
    <FieldSet {...{ label, name, fault }} className={css["choices"]}>
      {options.map(([one, words, meaning], index) => (
        <label key={one} className={css["choice"]}>
          <input
            type="radio"
            name={`${id}-${name}`}
            value={one}
            checked={value === one}
            aria-label={words}
            aria-describedby={`${id}-${index}`}
            onChange={() => onChange(one)}
          />
          <span>
            {words}
            <small id={`${id}-${index}`}>{meaning}</small>
          </span>
        </label>
      ))}
    </FieldSet>
  );
}
