import { type TSchema, Type } from "typebox";
import { declareEvents } from "../events/event.ts";
import { DISABLED_REASONS, ENDPOINT_STATUSES } from "./webhook-endpoint.ts";

const FIELDS = {
  host: Type.String({
    description: "The host of the endpoint's URL. The rest of a URL is often secret.",
    examples: ["hooks.acme.example"],
  }),
  status: Type.Unsafe<(typeof ENDPOINT_STATUSES)[number]>({
    type: "string",
    enum: ENDPOINT_STATUSES,
    description: "The endpoint's status.",
    examples: ["FAILING"],
  }),
};
const EndpointData = Type.Object(FIELDS);
const DisabledData = Type.Object({
  ...FIELDS,
  reason: Type.Unsafe<(typeof DISABLED_REASONS)[number]>({
    type: "string",
    enum: DISABLED_REASONS,
    description:
      "`USER`: a user disabled it. `GONE`: it answered 410. `FAILING`: five days passed without a success.",
    examples: ["FAILING"],
  }),
});
const PingData = Type.Object({
  deliveryId: Type.String({
    description: "The delivery that sends it.",
    examples: ["whd_01kahz2m4t6q8r1x3c5v7b9n2k"],
  }),
});

const of = <Data extends TSchema>(data: Data, description: string) =>
  ({ subject: "webhook_endpoint", role: "admin", description, data }) as const;

export const WEBHOOK_EVENTS = declareEvents({
  "webhook_endpoint.created": of(EndpointData, "A webhook endpoint was created."),
  "webhook_endpoint.updated": of(EndpointData, "A webhook endpoint's settings changed."),
  "webhook_endpoint.deleted": of(EndpointData, "A webhook endpoint was deleted."),
  "webhook_endpoint.ping": of(
    PingData,
    "A user requested a ping. It is sent only to that endpoint, regardless of its filter.",
  ),
  "webhook_endpoint.failing": of(
    EndpointData,
    "Five deliveries in a row failed. Events wait until one succeeds.",
  ),
  "webhook_endpoint.recovered": of(
    EndpointData,
    "A delivery to a failing endpoint succeeded. The events that waited are sent now.",
  ),
  "webhook_endpoint.disabled": of(DisabledData, "Nothing is sent to the endpoint until a user enables it."),
  "webhook_endpoint.enabled": of(EndpointData, "A user enabled the endpoint."),
  "webhook_endpoint.secret_rotated": of(EndpointData, "The endpoint has a new secret."),
});

/** A ping only goes to its own endpoint, as a delivery that its creation made. */
export const PING = WEBHOOK_EVENTS["webhook_endpoint.ping"].type;
