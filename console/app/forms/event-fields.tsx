/** Which events a webhook or a notification channel gets. */
import type { Fault, Project } from "../../../sdk/src/generated/types.ts";
import { eventChoices } from "../api/event-types.ts";
import { type Control, SelectField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { PickField } from "../ui/pick-field.tsx";
import { RadioField } from "../ui/radio-field.tsx";

export type EventValues = {
  /** `chosen`, or the value of the choice without a list. */
  readonly events: string;
  readonly types: readonly string[];
};

/** Words for the fault of a form in which no event is chosen. @param instead the other choice, such as `all events` */
export function describeEventFault(
  { path }: Fault,
  { events, types }: EventValues,
  instead: string,
): string | null {
  return path === "/types" && events === "chosen" && types.length === 0
    ? `Choose at least one event, or ${instead}.`
    : null;
}

/** @param props.without the choice without a list: its value, its words and a hint */
export function EventFields({
  events,
  types,
  project,
  projects,
  without,
  hint,
}: {
  readonly events: Control<string>;
  readonly types: Control<readonly string[]>;
  readonly project: Control<string>;
  readonly projects: readonly Project[];
  readonly without: readonly [value: string, words: string, hint: string];
  /** Of the choice with a list. */
  readonly hint: string;
}) {
  return (
    <FormSection title="Events">
      <RadioField label="Which events" options={[without, ["chosen", "Chosen events", hint]]} {...events} />
      {events.value === "chosen" ? (
        <PickField label="Chosen events" what="events" groups={eventChoices(types.value)} {...types} />
      ) : null}
      <SelectField
        label="Project"
        hint="Only events of this project, or of all."
        options={[["", "All projects"], ...projects.map(({ id, name }) => [id, name] as const)]}
        {...project}
      />
    </FormSection>
  );
}
