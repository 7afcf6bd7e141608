/** A pasted `.env`: what it says, what is wrong in it, and what saving it would do. Pure. */
import { type DotenvEntry, parseDotenvEntries } from "../../../sdk/src/dotenv.ts";
import { DotenvError } from "../../../sdk/src/errors.ts";
import type {
  EnvVariable,
  EnvVariableKind,
  EnvVariablesPlan,
  SetEnvVariablesRequest,
} from "../../../sdk/src/generated/types.ts";

import { tellFault } from "./problem.ts";
import { isVariableName, formatValue } from "./variable-matrix.ts";

export type WrongLine = { readonly line: number; readonly message: string };

/** A name that is assigned several times; the last one counts. */
export type Duplicate = { readonly name: string; readonly lines: readonly number[] };

/** The variables of a text, every line that is none, and names that are given several times. */
export function readDotenv(text: string): {
  readonly variables: ReadonlyMap<string, string>;
  readonly wrong: readonly WrongLine[];
  readonly duplicates: readonly Duplicate[];
} {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  const wrong: WrongLine[] = [];
  for (;;) {
    try {
      const entries = parseDotenvEntries(lines.join("\n"));
      const valid = entries.filter(({ name }) => isVariableName(name));
      const misnamed = entries.filter(({ name }) => !isVariableName(name));
      return {
        variables: new Map(valid.map(({ name, value }) => [name, value])),
        wrong: [...wrong, ...misnamed.map(formatMisnamed)].toSorted((a, b) => a.line - b.line),
        duplicates: duplicatesOf(valid),
      };
    } catch (error) {
      if (!(error instanceof DotenvError)) throw error;
      wrong.push({ line: error.line, message: error.message.replace(/^Line \d+: /, "") });
      // The other lines may be correct: read the text again without this line.
      lines[error.line - 1] = "";
    }
  }
}

function formatMisnamed({ name, line }: DotenvEntry): WrongLine {
  const message = `${name} is not a valid name. Use letters, digits and _, and begin with a letter or _.`;
  return { line, message };
}

function duplicatesOf(entries: readonly DotenvEntry[]): readonly Duplicate[] {
  return [...Map.groupBy(entries, ({ name }) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => ({ name, lines: all.map(({ line }) => line) }));
}

/** Such as `LOG_LEVEL is on lines 2 and 5. Line 5 counts.` */
export function formatDuplicate({ name, lines }: Duplicate): string {
  const last = lines.at(-1);
  return `${name} is on lines ${lines.slice(0, -1).join(", ")} and ${last}. Line ${last} counts.`;
}

/** How a pasted value can be stored. */
export const PASTED_KINDS = ["plainText", "parameterStore", "secretsManager"] as const;
export type PastedKind = (typeof PASTED_KINDS)[number];

/** Whether a name sounds like a secret, so that the user does not store it as plain text by mistake. */
export function soundsSecret(name: string): boolean {
  return /(?:^|_)(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|CREDENTIALS?|PRIVATE|API_?KEY|ACCESS_?KEY|DSN)(?:_|$)/i.test(
    name,
  );
}

/** @param kindOf how to store each variable */
export function requestOf(
  variables: ReadonlyMap<string, string>,
  kindOf: (name: string) => PastedKind,
): SetEnvVariablesRequest {
  const groups: Partial<Record<PastedKind, Record<string, string>>> = {};
  for (const [name, value] of variables) {
    // A null prototype, so that `__proto__` is a name like any other; the API decides whether it is allowed.
    groups[kindOf(name)] ??= Object.create(null) as Record<string, string>;
    const group = groups[kindOf(name)];
    if (group !== undefined) group[name] = value;
  }
  return groups;
}

/**
 * The value before and after, as far as they are shown; null: there is none.
 * @param present the variable of this name in the scope; null: none
 * @param pasted the value in the text; undefined: the text does not have the name
 */
export function formatValues(
  { change, kind }: Pick<PreviewRow, "change" | "kind">,
  present: EnvVariable | null,
  pasted: string | undefined,
): { readonly before: string | null; readonly after: string | null } {
  const before = present === null ? null : formatValue(present).text;
  if (change === "deleted") return { before, after: null };
  if (pasted === undefined) return { before, after: before };
  const after = formatValue({ kind, value: pasted, reference: null, fromService: null }).text;
  return { before: change === "added" ? null : before, after };
}

export type PreviewRow = {
  readonly name: string;
  readonly kind: EnvVariableKind;
  readonly change: "added" | "changed" | "unchanged" | "unknown" | "deleted" | "refused";
  /** What a person has to know of it; null: the change says it all. */
  readonly note: string | null;
};

/** What a dry run answered, as rows: what stops the save first, then what changes. */
export function previewRows(plan: EnvVariablesPlan): readonly PreviewRow[] {
  const rows = (
    change: PreviewRow["change"],
    list: readonly { name: string; kind: EnvVariableKind }[],
    note = "",
  ) => list.map(({ name, kind }) => ({ name, kind, change, note: note === "" ? null : note }));
  return [
    ...plan.refused.map(({ name, kind, message }) => ({
      name,
      kind,
      change: "refused" as const,
      note: tellFault({ message }),
    })),
    ...rows("added", plan.added),
    ...plan.changed.map(({ name, kind, previousKind }) => ({
      name,
      kind,
      change: "changed" as const,
      note: kind === previousKind ? null : "is stored in another way than before",
    })),
    ...rows(
      "unknown",
      plan.unknown,
      "Slipway does not keep secrets, so it cannot know whether this one differs.",
    ),
    ...rows("deleted", plan.deleted, "It is not in the text."),
    ...rows("unchanged", plan.unchanged),
  ];
}

export const CHANGES: Readonly<
  Record<PreviewRow["change"], readonly [string, "good" | "busy" | "todo" | "bad" | "calm"]>
> = {
  refused: ["Invalid", "bad"],
  added: ["New", "good"],
  changed: ["Changed", "todo"],
  unknown: ["Set again", "todo"],
  deleted: ["Deleted", "bad"],
  unchanged: ["Same", "calm"],
};

/** Such as `2 new, 1 changed, 3 the same`. */
export function formatPlan(plan: EnvVariablesPlan): string {
  const counts: readonly (readonly [number, string])[] = [
    [plan.refused.length, "invalid"],
    [plan.added.length, "new"],
    [plan.changed.length, "changed"],
    [plan.unknown.length, "set again"],
    [plan.deleted.length, "deleted"],
    [plan.unchanged.length, "the same"],
  ];
  const said = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? "nothing" : said.join(", ");
}
