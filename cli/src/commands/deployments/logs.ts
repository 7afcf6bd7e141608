import type { Context } from "../../context.ts";
import { findProject } from "../../find/scope.ts";
import { notFound } from "../../output/failure.ts";
import { pick } from "../../find/pick.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { hasEnded, requireSuccess, showLine } from "./follow.ts";

export const showLogs: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const id = input.optionalArgument("ID") ?? (await newestOf(context, input));
  const serviceId = await serviceOf(context, id, input.text("service"));
  const query = serviceId === null ? {} : { serviceId };
  if (input.isSet("follow")) {
    context.resumeBy(`The deployment goes on. To follow it again: slipway logs ${id} --follow`);
    for await (const event of client.deployments.streamLogs(id, query, { signal })) {
      if (event.event === "line") output.streamed(event.data, showLine(event.data));
      else output.progress(`${id}: ${event.data.status}`);
    }
    requireSuccess(await client.deployments.get(id, { signal }));
    return;
  }
  let cursor: string | null = null;
  for (;;) {
    const { lines, nextCursor } = await client.deployments.getLogs(
      id,
      { ...query, ...(cursor === null ? {} : { cursor }) },
      { signal },
    );
    for (const line of lines) output.streamed(line, showLine(line));
    if (lines.length === 0 || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  if (!hasEnded(await client.deployments.get(id, { signal })))
    output.progress(`The deployment goes on. To follow it: slipway logs ${id} --follow`);
};

async function newestOf(context: Context, input: Input): Promise<string> {
  const client = await context.client();
  const project = await findProject(context, input.text("project"));
  const { deployments } = await client.deployments.list(
    { projectId: project.id, limit: 1, order: "desc" },
    { signal: context.signal },
  );
  const [newest] = deployments;
  if (newest === undefined)
    throw notFound(`${project.name} was never deployed.`, "slipway deploy -p … deploys it.");
  return newest.id;
}

/** A service by its name in the configuration, among those of the deployment. */
async function serviceOf(context: Context, id: string, named: string | undefined): Promise<string | null> {
  if (named === undefined) return null;
  if (named.startsWith("svc_")) return named;
  const client = await context.client();
  const { services } = await client.deployments.get(id, { signal: context.signal });
  return pick(services, named, {
    noun: "service",
    flag: "--service",
    within: "in the deployment",
    namesOf: ({ configId, name }) => [configId, name],
    idOf: (service) => service.id,
  }).id;
}
