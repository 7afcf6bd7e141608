/** How what runs in an environment compares with its branch, in words. Pure. */
import type { EnvironmentDrift, NewestCommit } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "./deployment-rules.ts";

/** The words for the drift of an environment. */
export type DriftWords = {
  /** How it stands, in two or three words. */
  readonly state: string;
  /** The same as a sentence, with the services that it is about. */
  readonly sentence: string;
  /** The newest commit of the branch; null if it is not known. */
  readonly newest: string | null;
};

const STATES: Readonly<Record<EnvironmentDrift["state"], string>> = {
  CURRENT: "Up to date",
  BEHIND: "Not up to date",
  NOT_DEPLOYED: "Not deployed",
  UNKNOWN: "Not compared",
};

/** As many as a line has room for; the rest is counted. */
const NAMES_MAX = 3;
const TITLE_CHARACTERS_MAX = 72;

/** What a person reads of the comparison of an environment with its branch. */
export function tellDrift(drift: EnvironmentDrift): DriftWords {
  const { branch, newest, state } = drift;
  return {
    state: STATES[state],
    sentence: sentenceOf(drift),
    newest: newest === null ? null : `The newest commit of ${branch} is ${nameOf(newest)}.`,
  };
}

function sentenceOf({ branch, state, problem, services }: EnvironmentDrift): string {
  const namesIn = (wanted: EnvironmentDrift["state"]) =>
    services.filter((service) => service.state === wanted).map(({ name }) => name);
  const waiting = namesIn("NOT_DEPLOYED");
  const notYet = waiting.length === 0 ? "" : ` Not deployed yet: ${list(waiting)}.`;
  switch (state) {
    case "CURRENT":
      return `Runs the newest commit of ${branch}.${notYet}`;
    case "BEHIND": {
      // It may be an older one, as after a push, or any other, as after the branch was set to another commit.
      const behind = namesIn("BEHIND");
      const run = behind.length === 1 ? "runs" : "run";
      const all = services.length === 1 ? "1 service" : `${services.length} services`;
      return `${behind.length} of ${all} ${run} another commit: ${list(behind)}.${notYet}`;
    }
    case "NOT_DEPLOYED":
      if (services.length === 0) return "It has no service that is deployed from the branch.";
      return problem === null ? "Nothing was released yet." : `Nothing was released yet. ${problem}`;
    case "UNKNOWN":
      return `Could not be compared: ${problem ?? "the git host gave no reason."}`;
  }
}

/** Its title, digits and author: `“Show the price with tax” (9fceb02) by Ada Lovelace`. */
function nameOf(newest: NewestCommit): string {
  const { commit, commitAuthor } = newest;
  const by = commitAuthor === null ? "" : ` by ${commitAuthor}`;
  const title = titleOfCommit(newest);
  return newest.commitMessage === null ? `${commit}${by}` : `“${shorten(title)}” (${commit})${by}`;
}

function shorten(text: string): string {
  if (text.length <= TITLE_CHARACTERS_MAX) return text;
  // Not in the middle of a character that has two halves.
  return `${text.slice(0, TITLE_CHARACTERS_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function list(names: readonly string[]): string {
  const others = names.length - NAMES_MAX;
  // "and 1 other" would not save words.
  if (others <= 1) return names.join(", ");
  return `${names.slice(0, NAMES_MAX).join(", ")} and ${others} others`;
}
