import { FilterLogEventsCommand, type FilteredLogEvent } from "@aws-sdk/client-cloudwatch-logs";
import type { CloudAccount } from "../../cloud.ts";
import type { LogLine, LogPage } from "../../platform.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, nullIfGone } from "../calls/errors.ts";

export type LogPlace = {
  readonly region: string;
  readonly group: string;
  readonly streams: { readonly logStreamNames: string[] } | { readonly logStreamNamePrefix: string };
  readonly stream: LogLine["stream"];
};

const PAGE = 1_000;
/** CloudWatch may return empty pages before pages with lines. */
const EMPTY_PAGES = 10;
const API = "logs:FilterLogEvents";

/**
 * A page of CloudWatch's lines. The cursor is the time of the last line, and how many lines of that time have
 * been read: CloudWatch's own cursor expires after a day, and does not exist at the end of the log.
 * @throws CloudError `invalid` for an invalid cursor
 */
export async function readLogPage(
  call: Call,
  account: CloudAccount,
  { region, group, streams, stream }: LogPlace,
  cursor: string | null,
): Promise<LogPage> {
  const from = readCursor(cursor);
  const lines: LogLine[] = [];
  let { atMs, count } = from;
  let seenOfFirst = 0;
  let nextToken: string | undefined;
  for (let page = 0; page < EMPTY_PAGES && lines.length === 0; page += 1) {
    const input = { logGroupName: group, ...streams, startTime: from.atMs, limit: PAGE, nextToken };
    const answer = await readPage(call, account, region, new FilterLogEventsCommand(input));
    if (answer === null) break;
    for (const { timestamp = 0, message = "" } of answer.events) {
      if (timestamp === from.atMs && seenOfFirst < from.count) {
        seenOfFirst += 1;
        continue;
      }
      count = timestamp === atMs ? count + 1 : 1;
      atMs = timestamp;
      lines.push({ at: new Date(timestamp), stream, text: message.replace(/\r?\n$/, "") });
    }
    nextToken = answer.nextToken;
    if (nextToken === undefined) break;
  }
  return { lines, next: `${atMs}.${count}` };
}

/** Null until something is printed: the first line creates the stream. */
async function readPage(
  call: Call,
  account: CloudAccount,
  region: string,
  command: FilterLogEventsCommand,
): Promise<{ events: readonly FilteredLogEvent[]; nextToken: string | undefined } | null> {
  const answer = await call(account, API, command, region).catch(nullIfGone);
  return answer && { events: required(answer.events, API), nextToken: answer.nextToken };
}

function readCursor(cursor: string | null): { atMs: number; count: number } {
  if (cursor === null) return { atMs: 0, count: 0 };
  const [, atMs, count] = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (atMs === undefined || count === undefined) {
    throw cloudError(["invalid", "INVALID_REQUEST"], API, { message: "This is not a cursor of a log." });
  }
  return { atMs: Number(atMs), count: Number(count) };
}
