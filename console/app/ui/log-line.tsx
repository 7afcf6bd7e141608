import { readAnsi } from "./ansi.ts";
import { clockTimeOf, levelOf, type LogRow } from "./log-lines.ts";
import css from "./log-view.module.css";
import { tellInstant } from "./time.tsx";

/** A line of a log, in the colours that it was printed in. Its number copies its address. */
export function LogLine({
  row,
  number,
  isChosen,
  isFound,
  onCopy,
}: {
  readonly row: LogRow;
  readonly number: number;
  readonly isChosen: boolean;
  readonly isFound: boolean;
  readonly onCopy: (() => void) | undefined;
}) {
  return (
    <div className={css["line"]} data-chosen={isChosen} data-found={isFound} data-level={levelOf(row)}>
      <button
        type="button"
        tabIndex={-1}
        className={css["number"]}
        aria-label={`Copy the address of line ${number}`}
        onClick={onCopy}
      >
        {number}
      </button>
      <time className={css["of"]} dateTime={row.at} title={tellInstant(row.at)}>
        {clockTimeOf(row.at)}
      </time>
      {row.of === "" ? null : <span className={`${css["of"]} ${css["source"]}`}>{row.of}</span>}
      <span className={css["text"]} data-text="">
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
