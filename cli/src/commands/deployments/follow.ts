import type { Deployment, DeploymentDetails, LogLine } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { endedBadly } from "../../output/failure.ts";
import type { Input } from "../../table/input.ts";
import { waiting } from "../wait.ts";

const HAS_ENDED = new Set<Deployment["status"]>([
  "SUCCESS",
  "ERROR",
  "BUILD_ERROR",
  "CANCELLED",
  "SUPERSEDED",
]);

export const hasEnded = ({ status }: Pick<Deployment, "status">): boolean => HAS_ENDED.has(status);

/** `web stdout | listening` */
export const showLine = ({ service, stream, text }: LogLine): string => `${service} ${stream} | ${text}`;

/** Waits for the end of a deployment. Its log and its statuses go to stderr as they come. */
export async function followDeployment(
  context: Context,
  input: Input,
  id: string,
): Promise<DeploymentDetails> {
  const { output } = context;
  const client = await context.client();
  await waiting(context, input, `slipway logs ${id} --follow`, async (signal) => {
    for await (const event of client.deployments.streamLogs(id, {}, { signal })) {
      if (event.event === "line") output.progress(showLine(event.data));
      if (event.event !== "status") continue;
      output.progress(`${id}: ${event.data.status}`);
      if (event.data.status === "PENDING_APPROVAL")
        output.progress(`A second person has to approve it: slipway deployments approve ${id}`);
    }
  });
  return await client.deployments.get(id, { signal: context.signal });
}

/** @throws CommandError `ENDED_BADLY`, with the reasons */
export function requireSuccess(deployment: DeploymentDetails): void {
  const { id, status, statusReason, error, environments, services } = deployment;
  if (status === "SUCCESS") return;
  const reasons = [
    statusReason,
    error?.message,
    ...environments.map((run) => (run.error === null ? null : `${run.configId}: ${run.error.message}`)),
    ...services.map((service) =>
      service.error === null ? null : `${service.configId}: ${service.error.message}`,
    ),
    ...(error?.faults ?? []).map(({ path, message }) => `${path}: ${message}`),
  ].filter((text) => text !== null && text !== undefined);
  throw endedBadly(`The deployment ${id} ended with ${status}.`, [...new Set(reasons)].join("\n") || null);
}
