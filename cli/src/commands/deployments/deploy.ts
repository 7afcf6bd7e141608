import type { Deployment } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { findEnvironmentNamed, findProject } from "../../find/scope.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { followDeployment, requireSuccess } from "./follow.ts";

export const deploy: Handler = async (context, input) => {
  const client = await context.client();
  const project = await findProject(context, input.text("project"));
  const branch = input.text("branch");
  const named = input.text("environment");
  const environment =
    named === undefined ? undefined : await findEnvironmentNamed(context, named, input.text("project"));
  const deployment = await client.deployments.create(
    {
      repoUrl: project.repoUrl,
      filter: {
        projectId: project.id,
        ...(environment === undefined ? {} : { environmentId: environment.id }),
      },
      ...(branch === undefined ? {} : { branch }),
    },
    { signal: context.signal },
  );
  context.output.progress(`${project.name}: ${deployment.branch} at ${deployment.commit}`);
  await finish(context, input, deployment);
};

export const redeploy: Handler = async (context, input) => {
  const client = await context.client();
  const deployment = await client.deployments.redeploy(input.argument("ID"), { signal: context.signal });
  context.output.progress(`Deploys ${deployment.commit} of ${deployment.branch} again.`);
  await finish(context, input, deployment);
};

export const rollBack: Handler = async (context, input) => {
  const client = await context.client();
  const { deployment, notRestored } = await client.deployments.rollback(input.argument("ID"), {
    signal: context.signal,
  });
  context.output.progress(`Rolls back to ${deployment.commit} of ${deployment.branch}. Not rolled back:`);
  for (const text of notRestored) context.output.progress(`  ${text}`);
  await finish(context, input, deployment);
};

/** The data is the id, and of what has ended well the addresses. */
async function finish(context: Context, input: Input, deployment: Deployment): Promise<void> {
  const { output } = context;
  if (!input.isSet("wait")) {
    output.progress(`To follow it: slipway logs ${deployment.id} --follow`);
    output.data(deployment, [deployment.id]);
    return;
  }
  const ended = await followDeployment(context, input, deployment.id);
  const urls = ended.services.flatMap(({ url, type }) => (url === null || type === "worker" ? [] : [url]));
  output.data(ended, [ended.id, ...urls]);
  requireSuccess(ended);
}
