import { Search } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import { type Control, FieldSet } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { findOptions, type PickGroup, type PickOption, toggleGroup, toggleOption } from "./pick.ts";
import css from "./pick-field.module.css";

/** Fewer options are seen at once. */
const MANY = 8;

type Props = Control<readonly string[]> & {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What the options are, such as `events`. */
  readonly what: string;
  /** Options with headings; a group without a label has none. */
  readonly groups: readonly PickGroup[];
};

/** Some of many, found by typing. A group is picked as a whole, or some of its options. */
export function PickField({ label, hint, what, groups, name, value, onChange, fault }: Props) {
  const [text, setText] = useState("");
  const count = groups.reduce((sum, { options }) => sum + options.length, 0);
  const found = findOptions(groups, text);
  return (
    <FieldSet {...{ label, hint, name, fault }} className={css["field"]}>
      <div className={css["box"]} data-invalid={fault !== null}>
        {count <= MANY ? null : (
          <label className={css["search"]}>
            <Icon of={Search} />
            <input
              type="search"
              autoComplete="off"
              spellCheck={false}
              aria-label={`Search ${what}`}
              placeholder={`Search ${count} ${what}`}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={(event) => {
                // It would send the form.
                if (event.key === "Enter") event.preventDefault();
              }}
            />
          </label>
        )}
        <div className={css["list"]}>
          {found.map((shown) => (
            <Group
              key={shown.value}
              shown={shown}
              whole={groups.find((group) => group.value === shown.value) ?? shown}
              {...{ name, value, onChange }}
            />
          ))}
          {found.length === 0 ? <p className={css["none"]}>Nothing has “{text}”.</p> : null}
        </div>
        {count <= MANY ? null : (
          <div className={css["foot"]}>
            <span role="status">{countOf(groups, value)} chosen</span>
            {value.length === 0 ? null : (
              <Button look="plain" size="small" onClick={() => onChange([])}>
                Clear
              </Button>
            )}
          </div>
        )}
      </div>
    </FieldSet>
  );
}

function countOf(groups: readonly PickGroup[], value: readonly string[]): number {
  const isPicked = (group: PickGroup, option: PickOption) =>
    value.includes(group.value) || value.includes(option.value);
  return groups.reduce((sum, group) => sum + group.options.filter((one) => isPicked(group, one)).length, 0);
}

/** @param props.whole with all its options, of which `shown` may have some */
function Group({
  shown,
  whole,
  name,
  value,
  onChange,
}: Pick<Props, "name" | "value" | "onChange"> & { readonly shown: PickGroup; readonly whole: PickGroup }) {
  const isWhole = value.includes(whole.value);
  const isSome = !isWhole && whole.options.some((option) => value.includes(option.value));
  return (
    <>
      {whole.label === "" ? null : (
        <label className={css["head"]}>
          <input
            type="checkbox"
            name={name}
            checked={isWhole}
            ref={(box) => {
              if (box !== null) box.indeterminate = isSome;
            }}
            onChange={() => onChange(toggleGroup(value, whole))}
          />
          {whole.label}
          <small>all, and those of later releases</small>
        </label>
      )}
      {shown.options.map((option) => (
        <Option
          key={option.value}
          option={option}
          name={name}
          isPicked={isWhole || value.includes(option.value)}
          onToggle={() => onChange(toggleOption(value, option.value, whole))}
        />
      ))}
    </>
  );
}

function Option({
  option: { label, detail, code },
  name,
  isPicked,
  onToggle,
}: {
  readonly option: PickOption;
  readonly name: string;
  readonly isPicked: boolean;
  readonly onToggle: () => void;
}) {
  const id = useId();
  return (
    <label className={css["option"]}>
      <input
        type="checkbox"
        name={name}
        checked={isPicked}
        aria-label={label}
        aria-describedby={detail === undefined ? undefined : id}
        onChange={onToggle}
      />
      <span>{label}</span>
      {code === undefined ? null : <code>{code}</code>}
      {detail === undefined ? null : <small id={id}>{detail}</small>}
    </label>
  );
}
