import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Project } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { ANOTHER_BRANCH, deployChoices, type DeployTarget, requestOfChoice } from "../api/deploy-choices.ts";
import { tellDrift } from "../api/drift-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Fine } from "../ui/layout.tsx";
import { FormBox, useForm } from "./form.tsx";
import { useQuickActions } from "./quick-actions.ts";

type Props = {
  readonly project: Project;
  /** The environments to choose from; on the page of an environment or a service, only its own. */
  readonly environments: readonly DeployTarget[];
  /** On the page of one environment, whose name is on the button. */
  readonly isOfEnvironment?: boolean;
};

/** Deploys an environment of a project, or a branch, and opens the page of the deployment. */
export function DeployButton({ project, environments, isOfEnvironment = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const only = environments.length === 1 ? environments[0] : undefined;
  const { may, reason } = useCan("deploy", { projectId: project.id, environmentId: only?.id });
  const isDeleting = project.status === "DELETING" ? "The project is being deleted." : null;
  const name = isOfEnvironment && only !== undefined ? only.name : project.name;
  const dialogName = only?.name ?? project.name;
  useQuickActions(may ? [{ label: `Deploy ${name}`, run: () => setOpen(true) }] : []);
  return (
    <>
      <Button look="primary" disabledReason={reason ?? isDeleting} onClick={() => setOpen(true)}>
        {isOfEnvironment ? `Deploy ${name}` : "Deploy"}
      </Button>
      {isOpen ? (
        <DeployDialog
          project={project}
          environments={environments}
          isOfEnvironment={isOfEnvironment}
          title={`Deploy ${dialogName}`}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

function DeployDialog({
  project,
  environments,
  isOfEnvironment = false,
  title,
  onClose,
}: Props & { readonly title: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const choices = deployChoices(environments);
  const form = useForm({
    initial: { target: choices[0]?.[0] ?? ANOTHER_BRANCH, branch: project.configFileBranch ?? "" },
    submit: async ({ target, branch }) =>
      await slipway.deployments.create({
        repoUrl: project.repoUrl,
        ...requestOfChoice(project.id, target, branch),
      }),
    refreshes: ["deployments", "projects", "overview"],
    onDone: ({ id }) => navigate({ to: paths.deployment(id) }),
  });
  const { target } = form.values;
  const environment = environments.find(({ id }) => target === id);
  const { reason } = useCan("deploy", { projectId: project.id, environmentId: environment?.id });
  return (
    <Dialog title={title} onClose={onClose}>
      <FormBox form={form} action="Deploy now" refusal={reason} onCancel={onClose}>
        {isOfEnvironment || choices.length === 0 ? null : (
          <SelectField
            label="What to deploy"
            options={[...choices, [ANOTHER_BRANCH, "Another branch"]]}
            {...form.field("target", "/filter")}
          />
        )}
        {target === ANOTHER_BRANCH ? (
          <TextField
            label="Branch"
            hint="Its newest commit is deployed to the environments that follow it in that commit's configuration."
            {...form.field("branch")}
          />
        ) : null}
        {environment === undefined ? null : <Newest environment={environment} />}
      </FormBox>
    </Dialog>
  );
}

/** Which commit it will be. */
function Newest({ environment: { id, name, branch } }: { readonly environment: DeployTarget }) {
  const { data, error } = useLater(read("environments", "getDrift", id));
  const newest = data === undefined ? null : (tellDrift(data).newest ?? data.problem);
  return (
    <>
      <p>
        The newest commit of <strong>{branch}</strong> is built and released in {name}, with all of its
        services.
      </p>
      <Fine>
        {newest ?? (error === null ? "Asking the git host for it…" : "The git host was not asked.")}
      </Fine>
    </>
  );
}
