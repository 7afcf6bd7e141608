/**
 * `preDeployCommand`: a task in the image of a new release, with its variables, before anything of the service changes.
 * It has a stack of its own, because the stack of the service describes the live release until the new one replaces it.
 */
import type { CloudAccount } from "../../../cloud.ts";
import type { Command, ObservedExecution, ObservedRelease, Workload } from "../../../platform.ts";
import { joinShellWords } from "../../../../lib/shell-words.ts";
import { tokenDigest } from "../../calls/tags.ts";
import type { Executions } from "../executions/executions.ts";
import type { ReleaseRecord } from "../records.ts";
import { namesOf } from "../stacks/names.ts";
import { stackFailure } from "../stacks/stack-events.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { prepareTemplate } from "../stacks/templates/prepare-template.ts";
import { bringNetwork } from "./bring-stacks.ts";

type Failure = NonNullable<ObservedRelease["failure"]>;

export type Preparation =
  | { readonly kind: "waiting"; readonly for: string }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "done" };

const LIMIT_SECONDS = 30 * 60;

/** The token of the execution. */
export function tokenBefore(token: string): string {
  return `before-${token}`;
}

/** What runs before a release; null if nothing does. Pure. */
export function commandBefore(workload: Workload): Command | null {
  return ("preDeployCommand" in workload ? workload.preDeployCommand : undefined) ?? null;
}

/** Takes one step towards the end of the command. @throws CloudError */
export async function prepare(
  parts: PlatformParts,
  executions: Executions,
  account: CloudAccount,
  record: ReleaseRecord,
): Promise<Preparation> {
  const { service, token, workload, artifact, variables, requestedAtMs } = record;
  const command = commandBefore(workload);
  if (command === null || workload.type === "static") return { kind: "done" };
  const network = await bringNetwork(parts, account, record);
  if (network.kind === "waiting") return network;
  if (network.kind === "failed")
    return { kind: "failed", failure: stackFailure("prepare the network of the environment", network, true) };
  const names = namesOf(account, service);
  const digest = tokenDigest(token);
  const progress = await parts.stacks.bring(account, {
    region: service.region,
    name: names.prepareStack,
    service: null,
    environmentId: service.environmentId,
    token: `prepare-${digest}`,
    since: new Date(requestedAtMs),
    prepare: async () => ({
      template: prepareTemplate(account, service, {
        digest,
        workload,
        artifact,
        variables,
        runRole: await parts.roles.run(account, service),
      }),
      roleArn: await parts.roles.deploy(account, service),
    }),
  });
  if (progress.kind === "waiting") return progress;
  if (progress.kind === "failed")
    return { kind: "failed", failure: stackFailure("prepare preDeployCommand", progress) };
  const { Runs: definition = "", RunAccess: group = "" } = progress.stack.outputs;
  const cluster = network.stack.outputs["Cluster"]?.split("/").at(-1) ?? "";
  const { cpu, memoryGb } = workload.size;
  const observed = await executions.startAt(
    account,
    {
      token: tokenBefore(token),
      service,
      release: token,
      command: typeof command === "string" ? command : joinShellWords(command),
      size: { cpu, memoryGb },
      timeLimitSeconds: LIMIT_SECONDS,
    },
    { cluster, definition, group, release: digest, log: names.prepareLog },
  );
  return progressOf(observed);
}

function progressOf({ status, exitCode, failure }: ObservedExecution): Preparation {
  if (status === "STARTING" || status === "RUNNING")
    return { kind: "waiting", for: "preDeployCommand to end" };
  if (status === "SUCCEEDED") return { kind: "done" };
  if (status === "TIMED_OUT") {
    const message = `preDeployCommand did not end within ${LIMIT_SECONDS} s. The log has its output.`;
    return { kind: "failed", failure: { code: "PRE_DEPLOY_TIMED_OUT", message } };
  }
  const message =
    exitCode === null || failure?.code !== "COMMAND_FAILED"
      ? `preDeployCommand: ${failure?.message ?? "it failed."}`
      : `preDeployCommand ended with exit code ${exitCode}; the log says why.`;
  return { kind: "failed", failure: { code: "PRE_DEPLOY_FAILED", message } };
}
