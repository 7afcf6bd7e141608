/** The stacks that a release needs: that of its network, then its own. */
import type { CloudAccount } from "../../../cloud.ts";
import { tokenDigest } from "../../calls/tags.ts";
import { portOf } from "../stacks/decide-place.ts";
import { findRouting } from "../balancers/routing.ts";
import { deployRoleOf, namesOf, networkOf } from "../stacks/names.ts";
import type { Change, DesiredStack, ObservedStack, PlatformParts, StackProgress } from "../stacks/stacks.ts";
import { BALANCER_OUTPUT, PLACE_OUTPUT } from "../stacks/templates/balancer-resources.ts";
import { environmentTemplate } from "../stacks/templates/environment-template.ts";
import { serviceTemplate } from "../stacks/templates/service-template.ts";
import type { ReleaseRequest } from "../../../platform.ts";

type Release = ReleaseRequest & { readonly requestedAtMs: number };

/** Takes one step towards the stack of the network, with a load balancer for a web service. */
export async function bringNetwork(
  { stacks, roles }: PlatformParts,
  account: CloudAccount,
  { service, token, workload, requestedAtMs }: Release,
): Promise<StackProgress> {
  const digest = tokenDigest(token);
  const mayShare = async () => (await roles.build(account, service)) !== null;
  const desired = (name: string, isWeb: boolean): DesiredStack => ({
    region: service.region,
    name: namesOf(account, service).networkStack,
    service: null,
    environmentId: networkOf(service),
    token: `${name}-${digest}`,
    since: new Date(requestedAtMs),
    prepare: async () => ({
      template: environmentTemplate(networkOf(service), { hasBalancer: isWeb && (await mayShare()) }),
      roleArn: deployRoleOf(account),
    }),
  });
  const isWeb = workload.type === "web";
  const progress = await stacks.ensure(account, desired("release", isWeb));
  if (!isWeb || progress.kind !== "done") return progress;
  const isComplete = progress.stack.outputs[BALANCER_OUTPUT] !== undefined || !(await mayShare());
  // The environment had no web service, or is of a version in which each of them had a load balancer.
  return isComplete ? progress : await stacks.add(account, desired("balancer", true), BALANCER_OUTPUT);
}

/** Takes one step towards the stacks that the release needs. @throws NoRoomError; CloudError */
export async function bringStacks(
  parts: PlatformParts,
  account: CloudAccount,
  record: Release,
): Promise<StackProgress> {
  const { service, token, workload, artifact, variables, requestedAtMs } = record;
  const { stacks, roles } = parts;
  const digest = tokenDigest(token);
  const { region, environmentId } = service;
  const isContainer = workload.type !== "static";
  const network = isContainer ? await bringNetwork(parts, account, record) : null;
  if (network !== null && network.kind !== "done") return network;
  const prepare = async (): Promise<Change> => {
    const buildRole = await roles.build(account, service);
    const runRole = isContainer ? await roles.run(account, service) : null;
    const routing =
      workload.type === "web" && network !== null
        ? await findRouting(parts, account, service, network.stack, buildRole !== null)
        : null;
    const release = { digest, workload, artifact, variables, runRole, routing };
    return {
      template: serviceTemplate(account, service, buildRole, release),
      roleArn: isContainer ? await roles.deploy(account, service) : deployRoleOf(account),
    };
  };
  const common = {
    region,
    environmentId,
    service,
    token: `release-${digest}`,
    since: new Date(requestedAtMs),
  };
  const progress = await stacks.bring(account, {
    ...common,
    name: namesOf(account, service).stack,
    prepare,
  });
  if (progress.kind !== "done" || network === null) return progress;
  const outputs = { ...progress.stack.outputs, ...placeIn(progress.stack, network.stack) };
  return { ...progress, stack: { ...progress.stack, outputs } };
}

/** The outputs of a service at the shared load balancer that its stack would have with one of its own. */
function placeIn(stack: ObservedStack, { outputs }: ObservedStack): Readonly<Record<string, string>> {
  const { BalancerDomain: domain, VpcOrigin: vpcOrigin } = outputs;
  const place = stack.outputs[PLACE_OUTPUT];
  if (place === undefined || domain === undefined || vpcOrigin === undefined) return {};
  return { OriginDomain: domain, OriginVpc: vpcOrigin, Url: `http://${domain}:${portOf(Number(place))}` };
}
