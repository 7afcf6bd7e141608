/** The log of a deployment, as it is and as it comes. */
import type { Deployment, DeploymentDetails, LogLine } from "../../../sdk/src/index.ts";
import type { Handler, Input } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, notFound } from "../failure.ts";
import { findEnvironment, findProject, pick } from "../lookup.ts";
import { waiting } from "../wait.ts";

const ENDED = new Set<Deployment["status"]>(["SUCCESS", "ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"]);

export const hasEnded = ({ status }: Pick<Deployment, "status">): boolean => ENDED.has(status);

/** `web stdout | listening` */
const showLine = ({ service, stream, text }: LogLine): string => `${service} ${stream} | ${text}`;

export const showLogs: Handler = async (context, input) =>
  printLog(context, input, input.optionalArgument("ID") ?? (await findNewest(context, input)));

/** Prints the log of a deployment, as `--service` and `--follow` say. */
export async function printLog(context: Context, input: Input, id: string): Promise<void> {
  const { client, output, resumeBy } = context;
  const serviceId = await findLoggedService(context, id, input.text("service"));
  if (input.isSet("follow")) {
    resumeBy(`The deployment continues. To follow it again: slipway logs ${id} --follow`);
    for await (const event of client.deployments.streamLogs(id, { serviceId })) {
      if (event.event === "line") output.streamed(event.data, showLine(event.data));
      else output.progress(`${id}: ${event.data.status}`);
    }
    requireSuccess(await client.deployments.get(id));
    return;
  }
  let cursor: string | undefined;
  for (;;) {
    const { lines, nextCursor } = await client.deployments.getLogs(id, { serviceId, cursor });
    for (const line of lines) output.streamed(line, showLine(line));
    if (lines.length === 0 || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  if (!hasEnded(await client.deployments.get(id)))
    output.progress(`The deployment continues. To follow it: slipway logs ${id} --follow`);
}

async function findNewest(context: Context, input: Input): Promise<string> {
  const project = await findProject(context, input.text("project"));
  const isLinked = context.link?.environmentId !== undefined && !input.isSet("project");
  const environment = isLinked || input.isSet("environment") ? await findEnvironment(context, input) : null;
  const place = environment === null ? { projectId: project.id } : { environmentId: environment.id };
  const { deployments } = await context.client.deployments.list({ ...place, limit: 1, order: "desc" });
  const [newest] = deployments;
  if (newest === undefined)
    throw notFound(
      `${environment?.name ?? project.name} was not deployed yet.`,
      "slipway deploy -p … deploys it.",
    );
  return newest.id;
}

/** A service by its name in the configuration, among those of the deployment; undefined for all. */
async function findLoggedService(
  { client }: Context,
  id: string,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined || named.startsWith("svc_")) return named;
  const { services } = await client.deployments.get(id);
  return pick(services, named, "service", "in the deployment").id;
}

/** Waits for the end of a deployment. Its log and its statuses go to stderr as they come. */
export async function followDeployment(
  context: Context,
  input: Input,
  id: string,
): Promise<DeploymentDetails> {
  const { client, output } = context;
  await waiting(context, input, `slipway logs ${id} --follow`, async (signal) => {
    for await (const event of client.deployments.streamLogs(id, {}, { signal })) {
      if (event.event === "line") output.progress(showLine(event.data));
      if (event.event !== "status") continue;
      output.progress(`${id}: ${event.data.status}`);
      if (event.data.status === "PENDING_APPROVAL")
        output.progress(`A second person has to approve it: slipway deployments approve ${id}`);
    }
  });
  return await client.deployments.get(id);
}

/** @throws CommandError `ENDED_BADLY`, with the reasons */
export function requireSuccess(deployment: DeploymentDetails): void {
  const { id, status, statusReason, error, environments, services } = deployment;
  if (status === "SUCCESS") return;
  const reasons = [
    statusReason,
    error?.message,
    ...[...environments, ...services].flatMap(({ configId, error: own }) =>
      own === null || own.message === error?.message ? [] : [`${configId}: ${own.message}`],
    ),
    ...(error?.faults ?? []).flatMap(({ path, message }) =>
      error?.message.includes(message) === true ? [] : [`${path}: ${message}`],
    ),
  ].filter((text) => text !== null && text !== undefined);
  throw endedBadly(`The deployment ${id} ended with ${status}.`, [...new Set(reasons)].join("\n") || null);
}
