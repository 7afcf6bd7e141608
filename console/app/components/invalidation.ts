/** Removes all answers of a service from the caches of its distributions. */
import type { Service, StartedInvalidation } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { isPublic } from "../api/service-words.ts";
import { toast } from "../ui/toast.tsx";

/** The permission, the question and the work; null for a service that visitors do not reach. */
export function useInvalidation(service: Service) {
  const { id, name, projectId, environmentId } = service;
  const { reason } = useCan("deploy", { projectId, environmentId });
  if (!isPublic(service)) return null;
  return {
    disabledReason: reason,
    question: {
      title: `Empty the caches of ${name}?`,
      consequences: [
        "Edges request each response from the service again.",
        "Nothing is cached until you set a cache policy in CloudFront, and never in the sandbox and on own servers.",
        "For some paths only: slipway services invalidate.",
      ],
      action: "Empty them",
      isSafe: true,
    },
    work: () => slipway.services.invalidate(id, { paths: ["/*"] }),
    refreshes: [] as const,
    onDone: ({ message }: StartedInvalidation) => toast(message),
  };
}
