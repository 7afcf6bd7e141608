import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { targetOf } from "../api/deploy-choices.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { isStore } from "../api/service-words.ts";
import { DeployButton } from "../components/deploy.tsx";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { OlderVariables } from "../components/pending-redeploy.tsx";
import { VariableMatrix } from "../components/variables/matrix.tsx";
import { RunNotice } from "../components/variables/run-notice.tsx";
import { VariableActions } from "../components/variables/variable-actions.tsx";
import { paths } from "../paths.ts";
import { Stack } from "../ui/layout.tsx";

export function EnvironmentVariablesPage() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/variables" });
  const { name, run } = useSearch({ from: "/shell/environments/$environmentId/variables" });
  const environment = useRead(read("environments", "get", environmentId));
  const project = useRead(read("projects", "get", environment.projectId));
  const { services } = useRead(readAll("services", "list", environmentId, {}));
  const { reason } = useCan("set variables", { projectId: project.id, environmentId });
  const navigate = useNavigate();
  const actions = (
    <VariableActions
      reason={reason}
      set={paths.setEnvironmentVariable(environmentId)}
      paste={paths.importEnvironmentVariables(environmentId)}
    />
  );
  return (
    <EnvironmentFrame environmentId={environmentId} actions={actions}>
      <Stack>
        {run === undefined ? null : <RunNotice owner={{ environmentId }} runId={run} />}
        <OlderVariables services={services} environment={environment.name}>
          <DeployButton project={project} environments={[targetOf(environment)]} isOfEnvironment />
        </OlderVariables>
        <VariableMatrix
          scopes={[
            { kind: "environment", id: environmentId, name: environment.name },
            ...services
              .filter(({ type }) => !isStore(type))
              .map(({ id, name: label }) => ({ kind: "service" as const, id, name: label })),
          ]}
          reason={reason}
          chosen={name}
          onChoose={(chosen) =>
            void navigate({
              to: paths.environmentVariables(environmentId),
              search: { run, name: chosen } as never,
              resetScroll: false,
            })
          }
          first={actions}
        />
      </Stack>
    </EnvironmentFrame>
  );
}
