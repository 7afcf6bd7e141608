import { UsageError } from "../output/failure.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds of `90s`, `10m`, `2h`, `1d`; a number without a unit is in seconds.
 * @throws UsageError for anything else
 */
export function readDuration(flag: string, text: string): number {
  const found = /^(?<amount>\d+(?:\.\d+)?)(?<unit>[smhd]?)$/.exec(text)?.groups;
  const unit = UNITS[found?.["unit"] === "" ? "s" : (found?.["unit"] ?? "")];
  if (found === undefined || unit === undefined)
    throw new UsageError(`--${flag} must be a duration such as 90s, 10m or 2h, not "${text}".`);
  return Math.round(Number(found["amount"]) * unit);
}
