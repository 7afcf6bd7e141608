/** Words for the result of an import. Pure. */
import type { ImportedLine } from "../../../sdk/src/generated/types.ts";

const NUMBERS_SHOWN = 12;

/** Refused lines with the same reason, the most frequent reason first. */
export function groupRefusals(
  lines: readonly ImportedLine[],
): readonly { readonly message: string; readonly count: number; readonly where: string }[] {
  const refused = lines.filter(({ fate }) => fate === "invalid" || fate === "taken" || fate === "quota");
  return [...Map.groupBy(refused, ({ message }) => message ?? "")]
    .map(([message, all]) => ({ message, count: all.length, where: tellLines(all.map(({ line }) => line)) }))
    .toSorted((a, b) => b.count - a.count);
}

function tellLines(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  if (numbers.length === 1) return `Line ${first}.`;
  const rest = numbers.length - NUMBERS_SHOWN;
  return `Lines ${numbers.slice(0, NUMBERS_SHOWN).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}
