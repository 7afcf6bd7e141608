import type { Project } from "../../../sdk/src/generated/types.ts";
import { SCOPE_CHOICES } from "../api/user-rules.ts";
import { ChecksField, type Control } from "../ui/field.tsx";
import { PickField } from "../ui/pick-field.tsx";

/** What a key or a job may do, and in which projects. */
export function PermissionFields({
  scopes,
  projectIds,
  projects,
  hint,
}: {
  readonly scopes: Control<readonly string[]>;
  readonly projectIds: Control<readonly string[]>;
  readonly projects: readonly Project[];
  /** What the choice of projects means. */
  readonly hint: string;
}) {
  return (
    <>
      <ChecksField label="What it may do" options={SCOPE_CHOICES} {...scopes} />
      {projects.length === 0 ? null : (
        <PickField
          label="In which projects"
          hint={hint}
          what="projects"
          groups={[
            { value: "", label: "", options: projects.map(({ id, name }) => ({ value: id, label: name })) },
          ]}
          {...projectIds}
        />
      )}
    </>
  );
}
