/** Restarts a service with its present variables, without a build. */
import { useNavigate } from "@tanstack/react-router";
import type { Deployment, Service } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { hasProcess } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { ConfirmButton } from "./confirm.tsx";

/** The permission, the question and the work; null for a service without a process. */
export function useRestart(service: Service) {
  const { id, name, projectId, environmentId } = service;
  const { reason } = useCan("deploy", { projectId, environmentId });
  const navigate = useNavigate();
  if (!hasProcess(service)) return null;
  return {
    disabledReason: reason,
    question: {
      title: `Restart ${name}?`,
      consequences: [
        "Its live release starts again with the present variables. Nothing is built.",
        "The new processes replace the old ones when they are healthy.",
        "If the build reads a changed variable, deploy instead.",
      ],
      action: "Restart",
      isSafe: true,
    },
    work: () => slipway.services.restart(id),
    refreshes: ["deployments", "overview", "services"] as const,
    onDone: (made: Deployment) => void navigate({ to: paths.deployment(made.id) }),
  };
}

/** Gives a service its newer variables. Nothing for a service without a process, which is built with them. */
export function ApplyButton({ service }: { readonly service: Service }) {
  const restart = useRestart(service);
  if (restart === null) return null;
  const { question, ...work } = restart;
  return <ConfirmButton label="Apply without a build" look="normal" {...work} {...question} />;
}
