import type { NewExecution } from "../executions/commands.ts";
import type { Service } from "../projects/project.ts";
import type { Job } from "./job.ts";

/**
 * An execution of a job, by its schedule unless there is no minute of one. Pure.
 * @throws Error if the service has no jobs
 */
export function newExecutionOf(
  service: Service,
  job: Job,
  tick: { readonly scheduledFor: Date | null; readonly attempt: number },
): NewExecution {
  if (service.type !== "scheduler") throw new Error(`A ${service.type} has no jobs.`);
  const { organizationId, projectId, environmentId, id: serviceId } = service;
  const { cpu, memoryGb } = service.settings;
  return {
    organizationId,
    projectId,
    environmentId,
    serviceId,
    jobId: job.id,
    trigger: tick.scheduledFor === null ? "request" : "schedule",
    ...tick,
    command: job.command,
    cpu,
    memoryGb,
    timeLimitSeconds: job.timeoutMinutes * 60,
    startedBy: null,
  };
}
