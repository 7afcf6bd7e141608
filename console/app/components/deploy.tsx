import { Suspense, useState } from "react";
import type { Project } from "../../../sdk/src/generated/types.ts";
import type { DeployTarget } from "../api/deploy-choices.ts";
import { useCan } from "../api/permissions.ts";
import { Button } from "../ui/button.tsx";
import { loadLater } from "../ui/load-later.ts";
import { useQuickActions } from "./quick-actions.ts";

const dialog = loadLater(async () => (await import("./deploy-dialog.tsx")).DeployDialog);

/** Deploys an environment of a project, or a branch, and opens the page of the deployment. */
export function DeployButton({
  project,
  environments,
  isOfEnvironment = false,
}: {
  readonly project: Project;
  /** The environments to choose from; on the page of an environment or a service, only its own. */
  readonly environments: readonly DeployTarget[];
  /** On the page of one environment, whose name is on the button. */
  readonly isOfEnvironment?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const only = environments.length === 1 ? environments[0] : undefined;
  const { may, reason } = useCan("deploy", { projectId: project.id, environmentId: only?.id });
  const isDeleting = project.status === "DELETING" ? "The project is being deleted." : null;
  const name = isOfEnvironment && only !== undefined ? only.name : project.name;
  useQuickActions(may ? [{ label: `Deploy ${name}`, run: () => setOpen(true) }] : []);
  return (
    <>
      <Button
        look="primary"
        disabledReason={reason ?? isDeleting}
        onPointerEnter={dialog.prefetch}
        onFocus={dialog.prefetch}
        onClick={() => setOpen(true)}
      >
        {isOfEnvironment ? `Deploy ${name}` : "Deploy"}
      </Button>
      {isOpen ? (
        <Suspense>
          <dialog.Component
            project={project}
            environments={environments}
            isOfEnvironment={isOfEnvironment}
            title={`Deploy ${only?.name ?? project.name}`}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
