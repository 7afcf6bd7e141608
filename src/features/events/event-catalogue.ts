import { closestMatch } from "leven";
import { ROLES, type Role } from "../../lib/actor.ts";
import type { DeclaredEvent } from "./event.ts";

/** All types of events that there are. */
export type EventCatalogue = {
  readonly all: readonly DeclaredEvent[];
  /** The types that a role may read; null if these are all. */
  readonly readableBy: (role: Role) => readonly string[] | null;
  /** The types that patterns such as `domain.attached`, `domain.*` and `*` stand for, or what is wrong with one. */
  readonly expand: (patterns: readonly string[]) => Expanded;
};

export type Expanded =
  | { readonly types: readonly string[]; readonly unknown?: never }
  | { readonly types?: never; readonly unknown: { readonly index: number; readonly nearest: string | null } };

/** @throws Error if two features declare the same type */
export function createEventCatalogue(
  features: readonly Readonly<Record<string, DeclaredEvent>>[],
): EventCatalogue {
  const all = features.flatMap((one) => Object.values(one));
  const types = all.map(({ type }) => type);
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined) throw new Error(`The event ${twice} is declared twice.`);
  const groups = [...new Set(types.map((type) => `${groupOf(type)}.*`))];
  return {
    all,
    readableBy(role) {
      const allowed = all.filter((one) => ROLES.indexOf(role) >= ROLES.indexOf(one.role));
      return allowed.length === all.length ? null : allowed.map(({ type }) => type);
    },
    expand(patterns) {
      const found = new Set<string>();
      for (const [index, pattern] of patterns.entries()) {
        const matches = types.filter((type) => isMatch(pattern, type));
        if (matches.length === 0)
          return { unknown: { index, nearest: nearestOf(pattern, [...types, ...groups]) } };
        for (const type of matches) found.add(type);
      }
      return { types: [...found] };
    },
  };
}

/** Whether a pattern stands for a type: the type itself, `<subject>.*`, or `*`. */
function isMatch(pattern: string, type: string): boolean {
  return pattern === type || pattern === "*" || pattern === `${groupOf(type)}.*`;
}

function groupOf(type: string): string {
  return type.slice(0, type.lastIndexOf("."));
}

/** Far longer than any type. The distance takes time by the length of the word, which a caller chooses. */
const WORD_LENGTH = 64;

/** Null for a word that is too long to be a mistyped one. */
function nearestOf(word: string, words: readonly string[]): string | null {
  return word.length > WORD_LENGTH ? null : (closestMatch(word, words) ?? null);
}
