/** The types of events that a webhook can receive, with the group of each. Pure. */
import { EVENT_TYPES as DESCRIPTIONS } from "../../../sdk/src/generated/event-types.ts";
import { EVENT_GROUPS } from "./event-words.ts";

type EventGroup = {
  /** The pattern of all its types; empty if they have none. */
  readonly value: string;
  readonly label: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly detail?: string | undefined;
    readonly code: string;
  }[];
};

/** Ordered by subject. */
export const EVENT_TYPES: readonly string[] = Object.keys(DESCRIPTIONS);

/**
 * Every type with its description, in the groups that a webhook can receive as a whole.
 * @param present types of a webhook, which may be of another release
 */
export function eventChoices(present: readonly string[]): readonly EventGroup[] {
  const known = new Map<string, string>(Object.entries(DESCRIPTIONS));
  const groups = EVENT_GROUPS.map(([value, label]) => ({
    value,
    label,
    options: EVENT_TYPES.filter((type) => type.startsWith(value.slice(0, -1))).map((type) => ({
      value: type,
      label: formatEventType(type),
      // The first sentence: the others are for programs.
      detail: known
        .get(type)
        ?.replaceAll("`", "")
        .split(/(?<=[.]) /)[0],
      code: type,
    })),
  }));
  const others = present.filter((type) => !known.has(type) && !groups.some(({ value }) => value === type));
  const options = others.map((type) => ({ value: type, label: formatEventType(type), code: type }));
  return others.length === 0 ? groups : [...groups, { value: "", label: "", options }];
}

/** A type in words, such as `Deployment: environment failed`. */
export function formatEventType(type: string): string {
  const [subject = "", event = ""] = type.split(".").map((part) => part.replaceAll("_", " "));
  const noun = subject === "aws account" ? "cloud account" : subject;
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${event}`.replace(/^Api/, "API");
}
