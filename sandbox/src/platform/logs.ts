/**
 * The output of builds and releases. Each log is a folder of segments with lines as JSON. A segment is named by
 * the offset of its first byte: a cursor is an offset, so it stays valid when old segments are removed.
 */
import * as fs from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { splitText } from "../../../src/lib/cut-text.ts";
import { parseJsonOrNull } from "../../../src/lib/json/json-body.ts";
import type { LogLine } from "../../../src/cloud/platform.ts";
import { invalid } from "../refusal.ts";
import { createHiddenValues } from "./commands/hidden-values.ts";
import type { LogPageMessage } from "../protocol.ts";

type Stream = LogLine["stream"];

export type LogWriter = {
  write(stream: Stream, chunk: Buffer): void;
  /** From now on, these values are replaced by `***`. */
  hide(values: readonly string[]): void;
  /** A line of the platform itself. It is kept even if other lines are dropped. */
  note(text: string): void;
  /** Writes out the last lines, which have no line break yet. */
  flush(): void;
  /** Everything that is written later is dropped. */
  close(): void;
};

export type Logs = {
  /**
   * Appends to an existing log. If a log grows beyond `maxBytes`, it keeps either its first lines, with a note
   * about the limit, or its last lines.
   */
  open(id: string, keep: "first" | "last", maxBytes: number): LogWriter;
  /** @throws Refusal for an invalid cursor */
  read(id: string, cursor: string | null): LogPageMessage;
  remove(id: string): void;
  /** The ids of all logs. */
  list(): readonly string[];
};

/** Longer lines are split, so that no line fills the memory or a page. */
const MAX_LINE_LENGTH = 16_384;
const PAGE_BYTES = 262_144;
/** How many segments are kept of a log that keeps its last lines. */
const KEPT_SEGMENTS = 2;

export function openLogs(folder: string, now: () => number): Logs {
  fs.mkdirSync(folder, { recursive: true });
  const folderOf = (id: string) => path.join(folder, id);

  return {
    open(id, keep, maxBytes) {
      const at = folderOf(id);
      fs.mkdirSync(at, { recursive: true });
      let start = segmentsIn(at).at(-1) ?? 0;
      let file = fs.openSync(segmentPath(at, start), "a+");
      let size = fs.fstatSync(file).size;
      // A crash may have left half a line. The next line must not continue it.
      if (size > 0 && !endsLine(file, size)) size += fs.writeSync(file, "\n");
      let isDropping = false;
      let isClosed = false;
      const partial = new Map<Stream, { decoder: StringDecoder; text: string }>();
      const hidden = createHiddenValues();

      function rotate(): void {
        fs.closeSync(file);
        start += size;
        size = 0;
        file = fs.openSync(segmentPath(at, start), "a+");
        for (const old of segmentsIn(at).slice(0, -KEPT_SEGMENTS)) fs.rmSync(segmentPath(at, old));
      }
      const encode = (stream: Stream, text: string) => `${JSON.stringify([now(), stream, text])}\n`;
      const append = (text: string) => {
        if (isClosed) return;
        size += fs.writeSync(file, text);
      };
      function appendLines(lines: readonly string[]): void {
        if (keep === "last") {
          const text = lines.join("");
          if (size > 0 && size + text.length > maxBytes / KEPT_SEGMENTS) rotate();
          return append(text);
        }
        let room = maxBytes - size;
        const kept = lines.findIndex((line) => (room -= Buffer.byteLength(line)) < 0);
        append((kept === -1 ? lines : lines.slice(0, kept)).join(""));
        if (kept === -1) return;
        isDropping = true;
        append(encode("platform", `The log is full (${maxBytes} bytes). Further lines are dropped.`));
      }

      return {
        write(stream, chunk) {
          if (isDropping || isClosed) return;
          const state = partial.get(stream) ?? { decoder: new StringDecoder("utf8"), text: "" };
          partial.set(stream, state);
          const parts = (state.text + state.decoder.write(chunk)).split("\n");
          state.text = parts.pop() ?? "";
          const lines = parts.flatMap((part) =>
            splitText(hidden.hideIn(part.replace(/\r$/, "")), MAX_LINE_LENGTH),
          );
          if (state.text.length > MAX_LINE_LENGTH + hidden.longest) {
            const { shown, held } = hidden.settle(state.text);
            const pieces = splitText(shown, MAX_LINE_LENGTH);
            state.text = (pieces.at(-1) ?? "") + held;
            lines.push(...pieces.slice(0, -1));
          }
          if (lines.length > 0) appendLines(lines.map((line) => encode(stream, line)));
        },
        hide: (values) => hidden.add(values),
        note: (text) => append(encode("platform", text)),
        flush() {
          for (const [stream, { decoder, text }] of partial) {
            const rest = text + decoder.end();
            if (rest === "" || isDropping) continue;
            appendLines(splitText(hidden.hideIn(rest), MAX_LINE_LENGTH).map((line) => encode(stream, line)));
          }
          partial.clear();
        },
        close() {
          if (!isClosed) fs.closeSync(file);
          isClosed = true;
        },
      };
    },

    read(id, cursor) {
      if (cursor !== null && !/^\d{1,15}$/.test(cursor)) {
        throw invalid("The cursor is not a cursor of this log.");
      }
      const at = folderOf(id);
      const segments = segmentsIn(at);
      const from = Math.max(Number(cursor ?? 0), segments[0] ?? 0);
      const segment = segments.findLast((start) => start <= from);
      if (segment === undefined) return { lines: [], next: cursor ?? "0" };
      const bytes = readAt(segmentPath(at, segment), from - segment);
      const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
      return { lines: whole.toString().split("\n").flatMap(decode), next: String(from + whole.byteLength) };
    },

    remove: (id) => fs.rmSync(folderOf(id), { recursive: true, force: true }),
    list: () => fs.readdirSync(folder),
  };
}

function segmentPath(folder: string, start: number): string {
  return path.join(folder, `${start}.log`);
}

/** The offsets of the segments, oldest first; empty if there is no log. */
function segmentsIn(folder: string): readonly number[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

function endsLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  fs.readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

function readAt(file: string, offset: number): Buffer {
  const opened = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(PAGE_BYTES);
    return bytes.subarray(0, fs.readSync(opened, bytes, 0, PAGE_BYTES, offset));
  } finally {
    fs.closeSync(opened);
  }
}

function decode(text: string): LogPageMessage["lines"] {
  // Null: half a line, left by a crash.
  const line = parseJsonOrNull(text) as [at: number, stream: Stream, text: string] | null;
  return line === null ? [] : [{ at: line[0], stream: line[1], text: line[2] }];
}
