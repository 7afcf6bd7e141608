import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body, Words } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { PROJECTS_TAG as tag } from "../projects/routes.ts";
import { prepareScaling, scaleService } from "./commands.ts";
import { getInstances, type ScalingDeps } from "./queries.ts";
import { isAutoscaled, SCALING_OPERATIONS } from "./scaling.ts";
import { InstancesSchema, ScalingSchema, viewInstances } from "./views.ts";

export function registerScalingRoutes(http: Http, deps: ScalingDeps & { readonly jobs: Jobs }): void {
  http.read({
    path: "/v1/services/:serviceId/scaling",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getServiceInstances",
    sdk: "services.getInstances",
    summary: "Get the instances of a service",
    description:
      "Returns how many instances of a web or worker service run, as its cloud reports it now. The cloud is asked at each request. The sandbox and own servers run one instance of each service.",
    response: InstancesSchema,
    handle: async ({ actor, params }) =>
      viewInstances(await getInstances(deps, actor.organizationId, params.serviceId)),
  });

  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/scaling",
    role: "developer",
    scope: "deploy",
    tag,
    operationId: "scaleService",
    sdk: "services.scale",
    summary: "Change the number of instances of a service",
    description:
      "Sets the number of instances of a web or worker service, or adds or removes some, between `minInstances` and `maxInstances` of its live release. The cloud starts and stops them in the background. Later releases keep the number; with autoscaling, the cloud continues to change it. Only on AWS.",
    body: Body({
      operation: Words(SCALING_OPERATIONS, {
        title: "ScalingOperation",
        description: "Whether `count` is the new number, or how many to `add` or `remove`.",
        examples: ["set"],
      }),
      count: Type.Integer({
        minimum: 0,
        maximum: 100,
        description: "A number of instances.",
        examples: [3],
      }),
    }),
    responses: { 200: ScalingSchema },
    prepare: ({ actor, params }) => prepareScaling(deps, actor, params.serviceId),
    commit: async ({ tx, actor, body, prepared }) => {
      const { before, after } = await scaleService(tx, deps.jobs, actor, prepared, body);
      return {
        status: 200,
        body: {
          serviceId: prepared.service.id,
          previousDesiredCount: before,
          newDesiredCount: after,
          autoscalingEnabled: isAutoscaled(prepared.limits),
        },
      };
    },
  });
}
