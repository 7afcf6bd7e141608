/** Applies a table of rules to an object of the file: each field gets exactly one verdict. Pure. */
import { escapePointer } from "../../lib/errors.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { ignored, missing, type Verdict, wrongForm } from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

/** By field, with dots: `ci.type`. A field that has rules below it has none itself. */
export type Rules<Context> = ReadonlyMap<string, (value: unknown, of: Context) => Verdict>;

export type Place = { readonly path: string; readonly field: string };
export type Report = (place: Place, verdict: Verdict) => void;

export function rulesOf<Context>(
  rules: Readonly<Record<string, (value: unknown, of: Context) => Verdict>>,
): Rules<Context> {
  return new Map(Object.entries(rules));
}

/** @param skipped fields of the object that are judged elsewhere */
export function classify<Context>(
  of: Raw,
  path: string,
  rules: Rules<Context>,
  context: Context,
  report: Report,
  skipped: readonly string[] = [],
): void {
  const groups = new Set([...rules.keys()].flatMap(groupsOf));
  const visit = (value: Raw, at: string, prefix: string): void => {
    for (const [name, member] of Object.entries(value)) {
      const place = { path: `${at}/${escapePointer(name)}`, field: `${prefix}${name}` };
      if (skipped.includes(place.field)) continue;
      const rule = rules.get(place.field);
      if (rule !== undefined) report(place, rule(member, context));
      else if (!groups.has(place.field)) report(place, UNKNOWN);
      else if (!isObject(member)) report(place, wrongForm("an object"));
      else if (Object.keys(member).length === 0) report(place, ignored("It is empty."));
      else visit(member, place.path, `${place.field}.`);
    }
  };
  visit(of, path, "");
}

export const UNKNOWN: Verdict = missing(
  "Flightcontrol's schema has no field of this name here.",
  "Correct its name, or remove it.",
);

/** `a.b.c` is in the groups `a` and `a.b`. */
function groupsOf(field: string): readonly string[] {
  const parts = field.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}
