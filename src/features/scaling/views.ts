import { Type } from "typebox";
import { Count, Flag, Id, Nullable, Text } from "../../http/schemas.ts";
import { isAutoscaled, type ServiceInstances } from "./scaling.ts";

const SERVICE_ID = Id("svc", "The service.");
const AUTOSCALING = Flag(
  "Whether the cloud changes the number itself, between the two limits: `maxInstances` is above `minInstances`.",
  true,
);

export const ScalingSchema = Type.Object(
  {
    serviceId: SERVICE_ID,
    previousDesiredCount: Count("The number of instances that the service was to have.", 2),
    newDesiredCount: Count("The number that it is to have now.", 3),
    autoscalingEnabled: AUTOSCALING,
  },
  { title: "ServiceScaling", description: "A change of the number of instances of a service." },
);

export const InstancesSchema = Type.Object(
  {
    serviceId: SERVICE_ID,
    currentInstances: Nullable(Count("Instances that run or start.", 3)),
    desiredInstances: Nullable(Count("Instances that the service is to have.", 3)),
    runningInstances: Nullable(Count("Instances that run.", 2)),
    pendingInstances: Nullable(Count("Instances that start.", 1)),
    autoscalingEnabled: AUTOSCALING,
    minInstances: Nullable(Count("The lower limit, as the live release was configured.", 1)),
    maxInstances: Nullable(Count("The upper limit.", 4)),
    problem: Nullable(
      Text(
        "Why the numbers are null, because the cloud does not report them; or why the last requested number was not set. Otherwise null.",
        null,
      ),
    ),
  },
  { title: "ServiceInstances", description: "The instances of a service." },
);

export function viewInstances({ serviceId, instances, limits, problem }: ServiceInstances) {
  return {
    serviceId,
    currentInstances: instances === null ? null : instances.running + instances.pending,
    desiredInstances: instances?.desired ?? null,
    runningInstances: instances?.running ?? null,
    pendingInstances: instances?.pending ?? null,
    autoscalingEnabled: limits !== null && isAutoscaled(limits),
    minInstances: limits?.minInstances ?? null,
    maxInstances: limits?.maxInstances ?? null,
    problem,
  };
}
