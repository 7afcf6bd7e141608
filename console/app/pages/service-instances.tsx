import type { Service, ServiceInstances as Instances } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Problem } from "../components/problem.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { Fine, Row, Skeleton } from "../ui/layout.tsx";

/** Autoscaling emits no events, so the number is read again. */
const EVERY_MS = 10_000;

/** How many instances of a service run, with buttons that add and remove one. */
export function ServiceInstances({ service }: { readonly service: Service }) {
  const { id } = service;
  const { data, error } = useLater(read("services", "getInstances", id));
  useRefresh("services", "getInstances", EVERY_MS, true);
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton lines={1} label="Loading the instances" />;
  return (
    <>
      <p aria-live="polite">{tellInstances(data)}</p>
      {data.problem === null ? null : <Fine>{data.problem}</Fine>}
      {data.autoscalingEnabled ? <Buttons service={service} instances={data} /> : null}
    </>
  );
}

function tellInstances({
  runningInstances,
  desiredInstances,
  minInstances,
  maxInstances,
}: Instances): string {
  if (desiredInstances === null || minInstances === null) return "Not known.";
  const limits = minInstances === maxInstances ? "" : ` The limits are ${minInstances} and ${maxInstances}.`;
  return `${runningInstances} of ${desiredInstances} run.${limits}`;
}

function Buttons({
  service: { id, projectId, environmentId },
  instances: { desiredInstances: desired, minInstances: min, maxInstances: max },
}: {
  readonly service: Service;
  readonly instances: Instances;
}) {
  const { reason } = useCan("deploy", { projectId, environmentId });
  if (desired === null || min === null || max === null) return null;
  const scale = (operation: "add" | "remove") => ({
    work: () => slipway.services.scale(id, { operation, count: 1 }),
    said: operation === "add" ? "One more is started." : "One is stopped.",
    refreshes: ["services"] as const,
  });
  return (
    <Row>
      <ActionButton
        label="Add one"
        disabledReason={reason ?? (desired < max ? null : `maxInstances is ${max}.`)}
        {...scale("add")}
      />
      <ActionButton
        label="Remove one"
        disabledReason={reason ?? (desired > min ? null : `minInstances is ${min}.`)}
        {...scale("remove")}
      />
    </Row>
  );
}
