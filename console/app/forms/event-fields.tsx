/** Which events a webhook or a notification channel gets. */
import type { Fault, Project } from "../../../sdk/src/generated/types.ts";
import { eventChoices } from "../api/event-types.ts";
import { readAll, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { type Control, SelectField } from "../ui/field.tsx";
import { FormSection } from "../ui/form-section.tsx";
import { PickField } from "../ui/pick-field.tsx";
import { RadioField } from "../ui/radio-field.tsx";

export type EventValues = {
  /** `chosen`, or the value of the choice without a list. */
  readonly events: string;
  readonly types: readonly string[];
  /** Empty for all. */
  readonly projectId: string;
  readonly environmentId: string;
};

/** What the API takes for the place of the events. */
export function placeRequestOf({ projectId, environmentId }: EventValues) {
  return {
    projectId: projectId === "" ? null : projectId,
    environmentId: environmentId === "" ? null : environmentId,
  };
}

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
  environment,
  projects,
  without,
  hint,
}: {
  readonly events: Control<string>;
  readonly types: Control<readonly string[]>;
  readonly project: Control<string>;
  readonly environment: Control<string>;
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
        onChange={(projectId) => {
          project.onChange(projectId);
          environment.onChange("");
        }}
      />
      {project.value === "" ? null : <EnvironmentField projectId={project.value} control={environment} />}
    </FormSection>
  );
}

function EnvironmentField({
  projectId,
  control,
}: {
  readonly projectId: string;
  readonly control: Control<string>;
}) {
  const reading = readAll("environments", "list", projectId, {});
  const { data, error } = useLater(reading, { keepsPrevious: false });
  if (error !== null) return <Problem error={error} />;
  // Until the list is there, the choice that is saved stays.
  const choices = data?.environments ?? (control.value === "" ? [] : [{ id: control.value, name: "…" }]);
  return (
    <SelectField
      label="Environment"
      hint="Only events of this environment, or of all of the project."
      options={[["", "All environments"], ...choices.map(({ id, name }) => [id, name] as const)]}
      {...control}
    />
  );
}
