/**
 * Schedules in the five fields of cron: minute, hour, day, month, weekday. `run-times.ts` finds the runs. Libraries start
 * runs of a skipped hour late or not at all (`docs/decisions/0050-schedules-follow-our-own-clock.md`).
 */

/** The values that match, in order. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
};

type Field = { readonly name: string; readonly min: number; readonly max: number; readonly words: string };

const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: "minute", min: 0, max: 59, words: "" },
  { name: "hour", min: 0, max: 23, words: "" },
  { name: "day", min: 1, max: 31, words: "" },
  { name: "month", min: 1, max: 12, words: "jan feb mar apr may jun jul aug sep oct nov dec" },
  { name: "weekday", min: 0, max: 7, words: "sun mon tue wed thu fri sat" },
];

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Pure. @returns `fault`: what is wrong and what to write, as the end of a sentence */
export function parseCron(text: string): Cron | { readonly fault: string } {
  const nickname = NICKNAMES[text.trim().toLowerCase()];
  if (nickname !== undefined)
    return { fault: `must have five fields; write "${nickname}" for ${text.trim()}` };
  if (text.trim().startsWith("@"))
    return { fault: 'must have five fields: minute hour day month weekday, such as "0 3 * * *"' };
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return { fault: describeLength(parts) };
  const read: (readonly number[])[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = parseField(parts[index] ?? "", field);
    if ("fault" in values) return values;
    read.push(values);
  }
  const [minutes = [], hours = [], days = [], months = [], written = []] = read;
  const weekdays = [...new Set(written.map((day) => day % 7))].toSorted((a, b) => a - b);
  const cron = { minutes, hours, days, months, weekdays };
  const longest = Math.max(...months.map((month) => DAYS_OF_MONTHS[month - 1] ?? 0));
  if (namesDays(cron) && !namesWeekdays(cron) && Math.min(...days) > longest)
    return {
      fault: `never occurs: none of its months has a day ${Math.min(...days)}; write at most ${longest}`,
    };
  return cron;
}

/** Whether not every day of a month matches. */
export const namesDays = ({ days }: Cron): boolean => days.length < 31;
/** Whether not every weekday matches. */
export const namesWeekdays = ({ weekdays }: Cron): boolean => weekdays.length < 7;

/** Whether the name is one of the IANA time zone database, such as `Europe/Berlin`. Pure. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

function describeLength(parts: readonly string[]): string {
  const five = "must have five fields: minute hour day month weekday";
  if (parts.length < FIELDS.length) return `${five}, such as "0 3 * * *"; it has ${parts.length}`;
  if (parts.length !== 6) return `${five}; it has ${parts.length}`;
  // AWS's form, where weekdays count from 1.
  if (parts.includes("?"))
    return `${five}; it has six: leave out the year, write * for ?, and count weekdays from 0 (Sunday)`;
  return parts[0] === "0"
    ? `${five}; it has six, and there are no seconds: write "${parts.slice(1).join(" ")}"`
    : `${five}; it has six: there are no seconds before the minute, and no year after the weekday`;
}

function parseField(text: string, field: Field): readonly number[] | { readonly fault: string } {
  const { name, min, max } = field;
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [, all, from, to, step] = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
    if (all === undefined && from === undefined) return { fault: describeItem(item, field) };
    const first = all === undefined ? Number(from) : min;
    const last = all === undefined ? Number(to ?? from) : name === "weekday" ? 6 : max;
    if (first < min || last > max)
      return { fault: `has the ${name} ${item}; write a number from ${min} to ${max}` };
    if (first > last) return { fault: `has the ${name} ${item}; write the smaller number first` };
    if (step !== undefined && all === undefined && to === undefined)
      return { fault: `has the ${name} ${item}; write ${first}-${max}/${step}` };
    if (step !== undefined && (Number(step) < 1 || Number(step) > max))
      return { fault: `has the ${name} ${item}; write a step from 1 to ${max}` };
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return [...values].toSorted((a, b) => a - b);
}

function describeItem(item: string, { name, min, words }: Field): string {
  const word = words.split(" ").findIndex((one) => one !== "" && item.toLowerCase().startsWith(one));
  if (word !== -1)
    return `has the ${name} ${item}; write numbers, such as ${word + min} for ${item.slice(0, 3)}`;
  if (item === "?") return `has ? as the ${name}; write *`;
  return `has the ${name} ${JSON.stringify(item)}; write a number, *, a range such as 1-5, a list or a step such as */10`;
}
