/**
 * A log of any length. Only the visible lines are elements, so that 100,000 lines scroll like 100. The view follows the
 * end of the log until the user scrolls up; then new lines are counted, and nothing moves.
 */
import {
  type CSSProperties,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy.tsx";
import { LogBar, LOG_CHOICES, type LogChoices, limitsOf } from "./log-bar.tsx";
import { LogLine } from "./log-line.tsx";
import { filterLines, findLines, lineAt, type LogRow, placeLines, plainTextOf } from "./log-lines.ts";
import css from "./log-view.module.css";
import { fillWindow } from "./fill-window.ts";
import { saveFile } from "./save-file.ts";

export type { LogRow } from "./log-lines.ts";

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
  /** It is as high as its lines, up to a limit. Nothing may stand below it, because it grows. */
  readonly isFitted?: boolean;
};

/** As in the style sheet. */
const LINE_REM = 1.5;
/** Lines beyond the visible ones, so that quick scrolling shows text. */
const SPARE = 12;
const NEAR_END_PX = 40;
const SOURCE_LETTERS_MAX = 18;

export function LogView({
  label,
  rows,
  state,
  empty,
  fileName,
  chosen = null,
  onChoose,
  controls,
  isFitted = false,
}: Props) {
  const box = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [choices, setChoices] = useState<LogChoices>(LOG_CHOICES);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ height: 600, letters: 80, linePx: 21 });
  const [isFollowing, setFollowing] = useState(chosen === null);
  const [seen, setSeen] = useState(rows.length);
  const [foundAt, setFoundAt] = useState(0);
  const set = (changes: Partial<LogChoices>) => {
    setChoices((before) => ({ ...before, ...changes }));
    if (changes.text !== undefined) setFoundAt(0);
  };

  const { hasOnlyMatches, level, range, from, to, isWrapped, isFull } = choices;
  // Typing takes precedence over what it finds.
  const text = useDeferredValue(choices.text);
  const last = rows.at(-1)?.at;
  const among = useMemo(
    () => ({ level, ...limitsOf({ range, from, to }, last) }),
    [level, range, from, to, last],
  );
  const found = useMemo(() => findLines(rows, text, among), [rows, text, among]);
  const all = useMemo(() => filterLines(rows, { ...among, text: "" }), [rows, among]);
  const shown = hasOnlyMatches && text.trim() !== "" ? found : all;
  const { linePx, height } = size;
  const letters = isWrapped ? size.letters : null;
  const places = useMemo(() => placeLines(rows, shown, letters), [rows, shown, letters]);
  const current = found[Math.min(foundAt, found.length - 1)];

  const showLine = (index: number) => {
    const at = shown === null ? index : shown.indexOf(index);
    if (at < 0) return;
    setFollowing(false);
    pane.current?.scrollTo({ top: Math.max(0, (places[at] ?? 0) * linePx - height / 2) });
  };
  useEffect(() => {
    if (current !== undefined) showLine(current);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- moves when another line is sought, not when lines come
  }, [text, foundAt, hasOnlyMatches, isWrapped, level, range]);
  useEffect(() => {
    if (chosen !== null && rows.length >= chosen) showLine(chosen - 1);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the line is there
  }, [chosen, chosen !== null && rows.length >= chosen]);

  // As wide in all lines, so that their texts begin below each other.
  const source = useMemo(
    () => rows.reduce((most, { of }) => Math.max(most, Math.min(SOURCE_LETTERS_MAX, of.length)), 0),
    [rows],
  );
  const count = shown?.length ?? rows.length;
  const first = Math.max(0, lineAt(places, top / linePx) - SPARE);
  const end = Math.min(count, lineAt(places, (top + height) / linePx) + 1 + SPARE);
  const visible = Array.from(
    { length: Math.max(0, end - first) },
    (_, at) => shown?.[first + at] ?? first + at,
  );

  // Before the browser draws, so that following never flickers.
  useLayoutEffect(() => {
    const { current: element } = pane;
    if (!isFollowing || element === null) return;
    element.scrollTop = element.scrollHeight;
    setSeen(rows.length);
  }, [rows, isFollowing, places, end]);
  useEffect(() => {
    const { current: element } = pane;
    if (element === null) return;
    const measure = () => setSize(measurePane(element));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isWrapped, source, rows.length > 0]);
  useEffect(() => {
    const { current: element } = box;
    if (!isFull || element === null) return;
    return fillWindow(element);
  }, [isFull]);

  const unseen = Math.max(0, rows.length - seen);
  const step = (by: 1 | -1) => {
    if (found.length > 0)
      setFoundAt((Math.min(foundAt, found.length - 1) + by + found.length) % found.length);
  };
  return (
    <div
      ref={box}
      className={css["box"]}
      data-full={isFull || undefined}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isFull) return;
        event.stopPropagation();
        set({ isFull: false });
      }}
    >
      <LogBar
        choices={choices}
        set={set}
        controls={controls}
        state={
          choices.text.trim() !== ""
            ? found.length === 0
              ? "no line"
              : `${Math.min(foundAt, found.length - 1) + 1} of ${found.length}`
            : shown === null
              ? state
              : `${shown.length} of ${rows.length} lines`
        }
        onStep={step}
        hasMatches={found.length > 0}
        isFollowing={isFollowing}
        onFollow={() => setFollowing(!isFollowing)}
        onDownload={() => download(fileName, rows)}
      />
      <div className={css["frame"]}>
        <div
          ref={pane}
          className={css["pane"]}
          role="log"
          aria-label={label}
          aria-live="off"
          tabIndex={0}
          data-wraps={isWrapped}
          data-fitted={isFitted}
          style={{ "--source": `${source}ch` } as CSSProperties}
          onScroll={({ currentTarget: element }) => {
            setTop(element.scrollTop);
            const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
            setFollowing(isAtEnd);
            if (isAtEnd) setSeen(rows.length);
          }}
        >
          {count === 0 ? (
            <p className={css["empty"]}>{rows.length === 0 ? empty : "No line matches."}</p>
          ) : null}
          <div
            className={css["space"]}
            style={{
              paddingTop: (places[first] ?? 0) * linePx,
              minHeight: (places[count] ?? 0) * linePx,
            }}
          >
            {visible.map((index) => {
              const row = rows[index];
              return row === undefined ? null : (
                <LogLine
                  key={row.key}
                  row={row}
                  number={index + 1}
                  isChosen={chosen === index + 1}
                  isFound={current === index}
                  onCopy={
                    onChoose === undefined
                      ? undefined
                      : () => void copyText(onChoose(index + 1), "the line's address")
                  }
                />
              );
            })}
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

/** How much a pane shows: its height, the letters beside number and time, and the height of a line in pixels. */
function measurePane(element: HTMLElement): { height: number; letters: number; linePx: number } {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const text = element.querySelector<HTMLElement>("[data-text]");
  const probe = document.createElement("span");
  probe.textContent = "0".repeat(100);
  probe.style.cssText = "position:absolute;visibility:hidden;white-space:pre";
  element.append(probe);
  const letterPx = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const { left } = element.getBoundingClientRect();
  const before = text === null ? 0 : text.getBoundingClientRect().left - left + element.scrollLeft;
  const widthPx = element.clientWidth - before - rem;
  return {
    height: element.clientHeight,
    letters: Math.max(10, Math.floor(widthPx / Math.max(1, letterPx))),
    linePx: rem * LINE_REM,
  };
}

function download(name: string, rows: readonly LogRow[]): void {
  const lines = rows.map((row) => [row.at, row.of, plainTextOf(row)].filter((part) => part !== "").join(" "));
  saveFile(name, "text/plain", [`${lines.join("\n")}\n`]);
}
