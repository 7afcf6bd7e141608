/** Fields that choose one of the organization's resources by its name. */
import { readAll, useLater } from "../api/query.ts";
import { type Control, SelectField } from "../ui/field.tsx";

/** A project, or all. */
export function ProjectChoice(control: Control<string>) {
  const projects = useLater(readAll("projects", "list", {})).data?.projects ?? [];
  const { value } = control;
  const isKnown = value === "" || projects.some(({ id }) => id === value);
  return (
    <SelectField
      label="Project"
      options={[
        ["", "All projects"],
        ...projects.map(({ id, name }) => [id, name] as const),
        // The chosen project, if it was deleted or is beyond the projects that were read.
        ...(isKnown ? [] : [[value, value] as const]),
      ]}
      {...control}
    />
  );
}
