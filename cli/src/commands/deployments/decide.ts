import type { DeploymentDetails } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";

export const approveDeployment: Handler = async (context, input) => {
  const client = await context.client();
  const body = { ...decisionOf(input), ...(input.isSet("bypass") ? { isBypass: true } : {}) };
  const id = input.argument("ID");
  show(context, await client.deployments.approve(id, body, { signal: context.signal }));
  context.output.progress(`It goes on. To follow it: slipway logs ${id} --follow`);
};

export const rejectDeployment: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("ID");
  show(context, await client.deployments.reject(id, decisionOf(input), { signal: context.signal }));
};

function decisionOf(input: Input): { environmentId?: string; comment?: string } {
  const [environmentId, comment] = [input.text("environment-id"), input.text("comment")];
  return {
    ...(environmentId === undefined ? {} : { environmentId }),
    ...(comment === undefined ? {} : { comment }),
  };
}

function show({ output }: Context, deployment: DeploymentDetails): void {
  output.item(deployment, [
    ["id", deployment.id],
    ["status", deployment.status],
    ...deployment.approvals.map(({ configId, status }) => [`approval ${configId}`, status] as const),
  ]);
}
