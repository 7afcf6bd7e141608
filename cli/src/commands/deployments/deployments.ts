import type { Deployment } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import { findEnvironment, findProject, findService } from "../../find/scope.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { waiting } from "../wait.ts";
import { hasEnded } from "./follow.ts";

export const listDeployments: Handler = async (context, input) => {
  const client = await context.client();
  const [branch, status] = [input.text("branch"), input.text("status")];
  const query = {
    limit: PAGE,
    order: "desc" as const,
    ...(await scopeOf(context, input)),
    ...(branch === undefined ? {} : { branch }),
    ...(status === undefined ? {} : { status: status as Deployment["status"] }),
  };
  context.output.list(await takeLimited(input, context.output, client.deployments.list(query)), [
    { title: "id", of: ({ id }) => id },
    { title: "status", of: (one) => one.status },
    { title: "branch", of: (one) => one.branch },
    { title: "commit", of: ({ commit }) => commit },
    { title: "message", of: ({ commitMessage }) => commitMessage?.split("\n")[0], isProse: true },
    { title: "started by", of: ({ trigger }) => trigger },
    { title: "created", of: ({ createdAt }) => createdAt },
    { title: "found wrong", of: ({ error, statusReason }) => error?.message ?? statusReason, isProse: true },
  ]);
};

export const showDeployment: Handler = async (context, input) => {
  const client = await context.client();
  const deployment = await client.deployments.get(input.argument("ID"), { signal: context.signal });
  context.output.item(deployment, [
    ["id", deployment.id],
    ["status", deployment.status],
    ["branch", deployment.branch],
    ["commit", deployment.commitHash],
    ["message", deployment.commitMessage],
    ["author", deployment.commitAuthor],
    ["started by", deployment.trigger],
    ["project", deployment.projectId],
    ["created", deployment.createdAt],
    ["ended", deployment.endedAt],
    ["found wrong", deployment.error?.message ?? deployment.statusReason],
    ...deployment.environments.map(
      (run) => [`environment ${run.configId}`, joined(run.status, run.error?.message)] as const,
    ),
    ...deployment.approvals.map(
      ({ configId, status, decidedBy, comment }) =>
        [`approval ${configId}`, joined([status, decidedBy].filter(Boolean).join(" by "), comment)] as const,
    ),
    ...deployment.services.map(
      (service) =>
        [
          `service ${service.configId}`,
          joined(service.status, service.error?.message ?? service.url),
        ] as const,
    ),
  ]);
};

export const cancelDeployment: Handler = async (context, input) => {
  const { output } = context;
  const client = await context.client();
  const asked = await client.deployments.cancel(input.argument("ID"), { signal: context.signal });
  const { id } = asked;
  let last: Deployment = asked;
  if (input.isSet("wait"))
    last = await waiting(context, input, `slipway deployments show ${id}`, async (signal) => {
      for await (const one of client.deployments.watch(id, { signal })) {
        output.progress(`${id}: ${one.status}`);
        if (hasEnded(one)) return one;
      }
      throw new Error("A watch does not end.");
    });
  output.item(last, [
    ["id", id],
    ["status", last.status],
  ]);
};

async function scopeOf(
  context: Context,
  input: Input,
): Promise<{ projectId?: string; environmentId?: string; serviceId?: string }> {
  if (input.text("service") !== undefined) return { serviceId: (await findService(context, input)).id };
  if (input.text("environment") !== undefined)
    return { environmentId: (await findEnvironment(context, input)).id };
  const named = input.text("project") ?? (await context.link())?.projectId;
  return named === undefined ? {} : { projectId: (await findProject(context, named)).id };
}

const joined = (status: string, more: string | null | undefined): string =>
  more === null || more === undefined ? status : `${status}: ${more}`;
