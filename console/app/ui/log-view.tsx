/**
 * A log of any length. Only the visible lines are elements, so that 100,000 lines scroll like 100. The view follows the
 * end of the log until the user scrolls up; then new lines are counted, and nothing moves.
 */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { plainOf, readAnsi } from "./ansi.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy.tsx";
import { Quiet } from "./layout.tsx";
import css from "./log-view.module.css";
import { saveFile } from "./save-file.ts";

export type LogRow = {
  /** Of the line, in its log; unique. */
  readonly key: string;
  /** ISO 8601. */
  readonly at: string;
  /** What printed it; empty if all lines are of one. */
  readonly of: string;
  readonly isError: boolean;
  readonly text: string;
};

type Props = {
  readonly label: string;
  /** The same array with more at its end, or another log. */
  readonly rows: readonly LogRow[];
  /** How the log is, such as `live`. */
  readonly state: string;
  /** Said in place of lines where there are none. */
  readonly empty: string;
  /** Of the file that is downloaded. */
  readonly fileName: string;
  /** The number of the line that the address names, from 1. */
  readonly chosen?: number | null;
  /** Called with the number of the line whose link the user copies. @returns the address to copy */
  readonly onChoose?: (line: number) => string;
  /** Beside the search, such as a choice of services. */
  readonly controls?: ReactNode;
};

const LINE_PX = 24;
/** Lines beyond the visible ones, so that quick scrolling shows text. */
const SPARE = 12;
const NEAR_END_PX = 40;

export function LogView({ label, rows, state, empty, fileName, chosen = null, onChoose, controls }: Props) {
  const pane = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [isFollowing, setFollowing] = useState(chosen === null);
  const [seen, setSeen] = useState(rows.length);
  const [sought, setSought] = useState("");
  const [foundAt, setFoundAt] = useState(0);

  const found = useMemo(() => {
    const wanted = sought.trim().toLowerCase();
    if (wanted === "") return [];
    return rows.flatMap(({ text }, index) => (plainOf(text).toLowerCase().includes(wanted) ? [index] : []));
  }, [rows, sought]);
  const current = found[Math.min(foundAt, found.length - 1)];

  const showLine = (index: number) => {
    setFollowing(false);
    pane.current?.scrollTo({ top: Math.max(0, index * LINE_PX - height / 2) });
  };
  useEffect(() => {
    if (current !== undefined) showLine(current);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- moves when another line is sought, not when lines come
  }, [sought, foundAt]);
  useEffect(() => {
    if (chosen !== null && rows.length >= chosen) showLine(chosen - 1);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the line is there
  }, [chosen, chosen !== null && rows.length >= chosen]);

  // Before the browser draws, so that following never flickers.
  useLayoutEffect(() => {
    const { current: element } = pane;
    if (!isFollowing || element === null) return;
    element.scrollTop = element.scrollHeight;
    setSeen(rows.length);
  }, [rows, isFollowing]);
  useEffect(() => {
    const { current: element } = pane;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(top / LINE_PX) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + height) / LINE_PX) + SPARE);
  const unseen = Math.max(0, rows.length - seen);
  return (
    <div className={css["box"]}>
      <div className={css["bar"]}>
        {controls}
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={sought}
          onChange={(event) => {
            setSought(event.target.value);
            setFoundAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || found.length === 0) return;
            const step = event.shiftKey ? found.length - 1 : 1;
            setFoundAt((foundAt + step) % found.length);
          }}
        />
        <span role="status">
          <Quiet>
            {sought.trim() === ""
              ? state
              : found.length === 0
                ? "no line"
                : `${Math.min(foundAt, found.length - 1) + 1} of ${found.length}`}
          </Quiet>
        </span>
        <Button size="small" onClick={() => download(fileName, rows)}>
          Download
        </Button>
      </div>
      <div className={css["frame"]}>
        <div
          ref={pane}
          className={css["pane"]}
          role="log"
          aria-label={label}
          aria-live="off"
          tabIndex={0}
          onScroll={({ currentTarget: element }) => {
            setTop(element.scrollTop);
            const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
            setFollowing(isAtEnd);
            if (isAtEnd) setSeen(rows.length);
          }}
        >
          {rows.length === 0 ? <p className={css["empty"]}>{empty}</p> : null}
          <div className={css["space"]} style={{ height: rows.length * LINE_PX }}>
            {rows.slice(first, last).map((row, offset) => (
              <Line
                key={row.key}
                row={row}
                index={first + offset}
                isChosen={chosen === first + offset + 1}
                isFound={current === first + offset}
                onChoose={onChoose}
              />
            ))}
          </div>
        </div>
        {unseen === 0 || isFollowing ? null : (
          <span className={css["news"]}>
            <Button size="small" look="primary" onClick={() => setFollowing(true)}>
              {unseen === 1 ? "1 new line" : `${unseen} new lines`}
            </Button>
          </span>
        )}
      </div>
    </div>
  );
}

function Line({
  row,
  index,
  isChosen,
  isFound,
  onChoose,
}: {
  readonly row: LogRow;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isFound: boolean;
  readonly onChoose: Props["onChoose"];
}) {
  return (
    <div className={css["line"]} data-chosen={isChosen} data-found={isFound} style={{ top: index * LINE_PX }}>
      <button
        type="button"
        tabIndex={-1}
        className={css["number"]}
        aria-label={`Copy the address of line ${index + 1}`}
        onClick={() => {
          if (onChoose !== undefined) void copyText(onChoose(index + 1), "the line's address");
        }}
      >
        {index + 1}
      </button>
      <time className={css["of"]} dateTime={row.at} title={row.at}>
        {row.at.slice(11, 23)}
      </time>
      {row.of === "" ? null : <span className={css["of"]}>{row.of}</span>}
      <span className={row.isError ? css["stderr"] : undefined}>
        {readAnsi(row.text).map(({ text, look }, at) => (
          <span
            key={`${at} ${look}`}
            className={
              look
                .split(" ")
                .map((one) => css[one] ?? "")
                .join(" ") || undefined
            }
          >
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}

function download(name: string, rows: readonly LogRow[]): void {
  const lines = rows.map(({ at, of, text }) =>
    [at, of, plainOf(text)].filter((part) => part !== "").join(" "),
  );
  saveFile(name, "text/plain", [`${lines.join("\n")}\n`]);
}
