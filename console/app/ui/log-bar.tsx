/** The controls above a log: what is searched and shown of it, and how. */
import {
  ArrowDownToLine,
  ChevronDown,
  ChevronUp,
  Download,
  ListFilter,
  Maximize2,
  Minimize2,
  Search,
  WrapText,
} from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { IconButton } from "./icon-button.tsx";
import css from "./log-bar.module.css";
import type { Level } from "./log-lines.ts";

/** What the user has chosen. */
export type LogChoices = {
  readonly text: string;
  readonly hasOnlyMatches: boolean;
  readonly level: Level;
  readonly range: LogRange;
  /** With the range `between`: as fields of the browser write local times. */
  readonly from: string;
  readonly to: string;
  readonly isWrapped: boolean;
  readonly isFull: boolean;
};

export const LOG_CHOICES: LogChoices = {
  text: "",
  hasOnlyMatches: false,
  level: "debug",
  range: "all",
  from: "",
  to: "",
  isWrapped: false,
  isFull: false,
};

const RANGES = [
  ["all", "All times"],
  ["1", "Last minute"],
  ["5", "Last 5 minutes"],
  ["15", "Last 15 minutes"],
  ["60", "Last hour"],
  ["between", "Between…"],
] as const;
export type LogRange = (typeof RANGES)[number][0];

const LEVELS: readonly (readonly [Level, string])[] = [
  ["debug", "All levels"],
  ["normal", "Without debug"],
  ["warning", "Warnings, errors"],
  ["error", "Errors"],
];

const MINUTE_MS = 60_000;

/** The instants that a choice is about, in ms. @param last when the last line was printed */
export function limitsOf(
  { range, from, to }: Pick<LogChoices, "range" | "from" | "to">,
  last: string | undefined,
): { readonly from: number | null; readonly to: number | null } {
  if (range === "between") return { from: instantOf(from), to: instantOf(to) };
  if (range === "all" || last === undefined) return { from: null, to: null };
  return { from: Date.parse(last) - Number(range) * MINUTE_MS, to: null };
}

function instantOf(local: string): number | null {
  const at = Date.parse(local);
  return Number.isNaN(at) ? null : at;
}

type Props = {
  readonly choices: LogChoices;
  readonly set: (changes: Partial<LogChoices>) => void;
  /** The result of the search, or the state of the log. */
  readonly state: string;
  /** Goes to the next match, or to the one before. */
  readonly onStep: (step: 1 | -1) => void;
  readonly hasMatches: boolean;
  readonly isFollowing: boolean;
  readonly onFollow: () => void;
  readonly onDownload: () => void;
  readonly controls: ReactNode;
};

export function LogBar({ choices, set, state, onStep, hasMatches, isFollowing, ...props }: Props) {
  const { text, hasOnlyMatches, level, range, from, to, isWrapped, isFull } = choices;
  return (
    <div className={css["bar"]}>
      <div className={css["search"]}>
        <Icon of={Search} />
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onChange={(event) => set({ text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
          }}
        />
        <span role="status" className={css["state"]}>
          {state}
        </span>
        {hasMatches ? (
          <>
            <IconButton icon={ChevronUp} label="Previous match" onClick={() => onStep(-1)} />
            <IconButton icon={ChevronDown} label="Next match" onClick={() => onStep(1)} />
          </>
        ) : null}
      </div>
      <div className={css["choices"]}>
        <BarSelect
          label="Level"
          value={level}
          options={LEVELS}
          onChange={(chosen) => set({ level: chosen as Level })}
        />
        <BarSelect
          label="Time"
          value={range}
          options={RANGES}
          onChange={(chosen) => set({ range: chosen as LogRange })}
        />
        {range === "between" ? (
          <>
            <TimeInput label="From" value={from} onChange={(value) => set({ from: value })} />
            <TimeInput label="To" value={to} onChange={(value) => set({ to: value })} />
          </>
        ) : null}
        {props.controls}
      </div>
      <div className={css["buttons"]}>
        <IconButton
          icon={ListFilter}
          label="Show only matching lines"
          isPressed={hasOnlyMatches}
          onClick={() => set({ hasOnlyMatches: !hasOnlyMatches })}
        />
        <IconButton
          icon={WrapText}
          label="Wrap lines"
          isPressed={isWrapped}
          onClick={() => set({ isWrapped: !isWrapped })}
        />
        <IconButton
          icon={ArrowDownToLine}
          label="Follow the end"
          isPressed={isFollowing}
          onClick={props.onFollow}
        />
        <IconButton icon={Download} label="Download" onClick={props.onDownload} />
        <IconButton
          icon={isFull ? Minimize2 : Maximize2}
          label="Full screen"
          isPressed={isFull}
          onClick={() => set({ isFull: !isFull })}
        />
      </div>
    </div>
  );
}

/** A choice among few, which names itself by what is chosen. */
export function BarSelect({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <select
      className={css["select"]}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

function TimeInput({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      type="datetime-local"
      step="1"
      className={css["time"]}
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
