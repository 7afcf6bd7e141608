/**
 * A configuration as text: names and values that its schema allows are offered at the caret, and faults are shown with
 * their line. Loaded where it is used.
 */
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { type Completion, completeJson, type JsonSchema } from "../api/json-completion.ts";
import { lineOf, offsetOf, scanJson } from "../api/json-scan.ts";
import { tellFault } from "../api/problem.ts";
import { type Control, Field } from "../ui/field.tsx";
import css from "./config-editor.module.css";

/** Where faults of a configuration are in a request. */
const AT = "/config";

type Props = Control<string> & {
  readonly label: string;
  /** Faults of the request: those of the configuration are listed with their lines. */
  readonly faults: readonly Fault[];
};

type Offered = {
  readonly all: readonly Completion[];
  readonly chosen: number;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
};

export function ConfigEditor({ label, name, value, onChange, fault, faults }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const caretAfter = useRef<number | null>(null);
  const [offered, setOffered] = useState<Offered | null>(null);
  const { data: schema } = useQuery({
    queryKey: ["schema.json"],
    queryFn: async ({ signal }) => (await (await fetch("/schema.json", { signal })).json()) as JsonSchema,
    staleTime: Infinity,
  });
  const scan = scanJson(value);
  const placed = faults
    .filter(({ path }) => path === AT || path.startsWith(`${AT}/`))
    .map((one) => ({ ...one, offset: offsetOf(scan, one.path.slice(AT.length)) }));

  useLayoutEffect(() => {
    if (caretAfter.current === null) return;
    area.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = null;
  });

  const offer = (text: string, caret: number, isAsked: boolean): void => {
    const { place } = scanJson(text, caret);
    const all = place === null || schema === undefined ? [] : completeJson(schema, place);
    const isUseful = place !== null && all.length > 0 && (isAsked || place.to > place.from);
    // A text that is typed completely needs no offer.
    const isDone = all.length === 1 && all[0]?.label === place?.typed && !isAsked;
    if (place === null || !isUseful || isDone) return setOffered(null);
    const { line, column } = lineOf(text, place.from);
    setOffered({ all, chosen: 0, from: place.from, to: place.to, line, column });
  };
  const replace = (from: number, to: number, inserted: string, caretBack = 0): void => {
    caretAfter.current = from + inserted.length - caretBack;
    setOffered(null);
    onChange(value.slice(0, from) + inserted + value.slice(to));
  };
  const accept = ({ from, to, all }: Offered, index: number): void => {
    const completion = all[index];
    if (completion === undefined) return;
    // A name that is changed keeps its value.
    const keepsValue = /^\s*:/.test(value.slice(to)) && completion.insert.includes(": ");
    const insert = keepsValue ? JSON.stringify(completion.label) : completion.insert;
    replace(from, to, insert, keepsValue ? 0 : completion.caretBack);
  };
  const breakLine = (caret: number): void => {
    const before = value.slice(0, caret);
    const indent = /^ */.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
    const opens = /[{[]$/.test(before);
    const closes = opens && /^[}\]]/.test(value.slice(caret));
    const inner = `\n${indent}${opens ? "  " : ""}`;
    const rest = closes ? `\n${indent}` : "";
    replace(caret, area.current?.selectionEnd ?? caret, inner + rest, rest.length);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { selectionStart: caret } = event.currentTarget;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      offer(value, caret, true);
    } else if (offered !== null && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : offered.all.length - 1;
      setOffered({ ...offered, chosen: (offered.chosen + step) % offered.all.length });
    } else if (offered !== null && ["Enter", "Tab"].includes(event.key)) {
      event.preventDefault();
      accept(offered, offered.chosen);
    } else if (offered !== null && event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      setOffered(null);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      breakLine(caret);
    }
  };

  const wrong = scan.error === null ? null : lineOf(value, scan.error.at);
  const active = offered === null ? undefined : `${id}-${offered.chosen}`;
  return (
    // Its faults are listed with their lines, below.
    <Field {...{ id, label }} fault={null}>
      <div className={css["frame"]}>
        <textarea
          ref={area}
          id={id}
          name={name}
          className={css["text"]}
          rows={20}
          wrap="off"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={fault === null ? undefined : true}
          aria-describedby={`${id}-below`}
          aria-autocomplete="list"
          aria-controls={offered === null ? undefined : `${id}-list`}
          aria-activedescendant={active}
          value={value}
          onChange={({ target }) => {
            onChange(target.value);
            offer(target.value, target.selectionStart, false);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setOffered(null)}
          onScroll={() => setOffered(null)}
        />
        {offered === null ? null : (
          <OfferedList id={id} offered={offered} area={area.current} onChoose={(at) => accept(offered, at)} />
        )}
      </div>
      <div id={`${id}-below`}>
        <p className={css["below"]}>
          {wrong === null || scan.error === null
            ? "Ctrl+Space offers what fits at the cursor."
            : `Line ${wrong.line}, column ${wrong.column}: ${scan.error.message}.`}
        </p>
        {fault === null ? null : (
          <ul className={css["faults"]}>
            {placed.length === 0 ? <li>{fault}</li> : null}
            {placed.map((one) => {
              const { line, column } = lineOf(value, one.offset);
              return (
                <li key={`${one.path} ${one.code}`}>
                  <button
                    type="button"
                    onClick={() => {
                      area.current?.focus();
                      area.current?.setSelectionRange(one.offset, one.offset);
                    }}
                  >
                    Line {line}, column {column}
                  </button>{" "}
                  {lastStep(one.path)}
                  {tellFault(one)}
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </Field>
  );
}

/** The field that a fault is about; its line may be that of what is around it. */
function lastStep(path: string): string {
  const step = path.slice(AT.length).split("/").at(-1) ?? "";
  return step === "" || /^\d+$/.test(step) ? "" : `${step}: `;
}

function OfferedList({
  id,
  offered: { all, chosen, line, column },
  area,
  onChoose,
}: {
  readonly id: string;
  readonly offered: Offered;
  readonly area: HTMLTextAreaElement | null;
  readonly onChoose: (index: number) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null || area === null) return;
    // Lines do not wrap, and all letters are equally wide.
    const style = getComputedStyle(area);
    const height = Number.parseFloat(style.lineHeight);
    const top = Number.parseFloat(style.paddingTop) + line * height - area.scrollTop + 2;
    const left =
      Number.parseFloat(style.paddingLeft) + (column - 1) * widthOfLetter(style.font) - area.scrollLeft;
    element.style.top = `${top}px`;
    element.style.insetInlineStart = `${Math.max(0, Math.min(left, area.clientWidth - element.offsetWidth))}px`;
  }, [area, line, column]);
  useLayoutEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <ul ref={list} id={`${id}-list`} role="listbox" aria-label="What fits here" className={css["list"]}>
      {all.map(({ label, detail }, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the text
        <li
          key={label}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            // The text keeps the focus.
            event.preventDefault();
            onChoose(index);
          }}
        >
          <code>{label}</code>
          {detail === "" ? null : <small>{detail}</small>}
        </li>
      ))}
    </ul>
  );
}

function widthOfLetter(font: string): number {
  const context = document.createElement("canvas").getContext("2d");
  if (context === null) return 8;
  context.font = font;
  return context.measureText("0").width;
}
