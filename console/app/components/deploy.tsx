import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Project } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormBox, useForm } from "./form.tsx";
import { useQuickActions } from "./quick-actions.ts";

/**
 * Deploys a project: asks for the branch, and leads to the deployment.
 * @param props.environmentId the environment that it is about, whose protection then counts
 */
export function DeployButton({
  project,
  environmentId,
}: {
  readonly project: Project;
  readonly environmentId?: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const { may, reason } = useCan("deploy", { projectId: project.id, environmentId });
  const isDeleting = project.status === "DELETING" ? "The project is being deleted." : null;
  useQuickActions(may ? [{ label: `Deploy ${project.name}`, run: () => setOpen(true) }] : []);
  return (
    <>
      <Button look="primary" disabledReason={reason ?? isDeleting} onClick={() => setOpen(true)}>
        Deploy
      </Button>
      {isOpen ? <DeployDialog project={project} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function DeployDialog({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initial: { branch: "" },
    submit: async ({ branch }) =>
      await slipway.deployments.create({
        repoUrl: project.repoUrl,
        filter: { projectId: project.id },
        ...(branch.trim() === "" ? {} : { branch: branch.trim() }),
      }),
    refreshes: ["deployments", "projects"],
    onDone: ({ id }) => navigate({ to: paths.deployment(id) }),
  });
  return (
    <Dialog title={`Deploy ${project.name}`} onClose={onClose}>
      <FormBox form={form} action="Deploy now" onCancel={onClose}>
        <TextField
          label="Branch"
          isOptional
          {...form.field("branch")}
          placeholder="each environment's own"
          hint="Its newest commit is deployed to the environments that follow it."
        />
      </FormBox>
    </Dialog>
  );
}
