/**
 * How many instances ECS runs of a service. If instances are scaled, no stack sets their number, so a number that is set
 * here stays until scaling or a customer changes it.
 */
import type { CloudAccount } from "../../../cloud.ts";
import type { Platform, ServicePlace } from "../../../platform.ts";
import { required } from "../../calls/calls.ts";
import { cloudError, nullIfGone } from "../../calls/errors.ts";
import { serviceStackOf } from "../stacks/names.ts";
import type { PlatformParts } from "../stacks/stacks.ts";
import { ECS_SERVICE_OUTPUT } from "../stacks/templates/container-resources.ts";

/** The ECS client of the SDK, which is large and needed only here. */
const loadEcs = () => import("@aws-sdk/client-ecs");

export function createInstances({
  call,
  stacks,
}: PlatformParts): Pick<Platform["services"], "instances" | "scale"> {
  /** Null if nothing runs, or the stack is of a release that did not output it. */
  async function find(account: CloudAccount, service: ServicePlace) {
    const place = { region: service.region, name: serviceStackOf(service.serviceId) };
    const arn = (await stacks.describe(account, place))?.outputs[ECS_SERVICE_OUTPUT];
    // arn:aws:ecs:us-west-2:123456789012:service/CLUSTER/NAME
    const [, cluster = ""] = arn?.split("/") ?? [];
    return arn === undefined ? null : { arn, cluster };
  }

  return {
    async instances(account, service) {
      const found = await find(account, service);
      if (found === null) return null;
      const { DescribeServicesCommand } = await loadEcs();
      const api = "ecs:DescribeServices";
      const command = new DescribeServicesCommand({ cluster: found.cluster, services: [found.arn] });
      const answer = await call(account, api, command, service.region).catch(nullIfGone);
      const observed = answer?.services?.[0];
      if (observed === undefined) return null;
      return {
        desired: required(observed.desiredCount, api),
        running: required(observed.runningCount, api),
        pending: required(observed.pendingCount, api),
      };
    },

    async scale(account, service, count) {
      const api = "ecs:UpdateService";
      const found = await find(account, service);
      if (found === null)
        throw cloudError(["gone", "NOT_FOUND"], api, {
          message: "The service's stack names no service of ECS. Deploy the service once.",
        });
      const { UpdateServiceCommand } = await loadEcs();
      const { cluster, arn } = found;
      const command = new UpdateServiceCommand({ cluster, service: arn, desiredCount: count });
      await call(account, api, command, service.region);
    },
  };
}
