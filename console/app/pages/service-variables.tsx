import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { targetOf } from "../api/deploy-choices.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { isStore } from "../api/service-words.ts";
import { DeployButton } from "../components/deploy.tsx";
import { PendingRedeployNotice } from "../components/pending-redeploy.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { VariableMatrix } from "../components/variables/matrix.tsx";
import { RunNotice } from "../components/variables/run-notice.tsx";
import { VariableActions } from "../components/variables/variable-actions.tsx";
import { paths } from "../paths.ts";
import { Stack } from "../ui/layout.tsx";

export function ServiceVariablesPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/variables" });
  const { name, run } = useSearch({ from: "/shell/services/$serviceId/variables" });
  const service = useRead(read("services", "get", serviceId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const project = useRead(read("projects", "get", service.projectId));
  const can = useCan("set variables", { projectId: project.id, environmentId: environment.id });
  // Variables that it has from before can be deleted: only the actions that set some are disabled.
  const unread = isStore(service.type)
    ? "A data store reads no variables. Set them of the service that uses it, or of the environment."
    : null;
  const navigate = useNavigate();
  const actions = (
    <VariableActions
      reason={unread ?? can.reason}
      set={paths.setServiceVariable(serviceId)}
      paste={paths.importServiceVariables(serviceId)}
    />
  );
  return (
    <ServiceFrame serviceId={serviceId} actions={actions}>
      <Stack>
        {run === undefined ? null : <RunNotice owner={{ serviceId }} runId={run} />}
        <PendingRedeployNotice service={service} environment={environment.name}>
          <DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />
        </PendingRedeployNotice>
        <VariableMatrix
          scopes={[
            { kind: "environment", id: environment.id, name: environment.name },
            { kind: "service", id: serviceId, name: service.name },
          ]}
          reason={can.reason}
          chosen={name}
          onChoose={(chosen) =>
            void navigate({
              to: paths.serviceVariables(serviceId),
              search: { run, name: chosen } as never,
              resetScroll: false,
            })
          }
          first={actions}
        />
      </Stack>
    </ServiceFrame>
  );
}
