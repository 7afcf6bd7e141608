import { Type } from "typebox";
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
    description: "How the endpoint is.",
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

const OF_ENDPOINT = { subject: "webhook_endpoint", role: "admin" } as const;

export const WEBHOOK_EVENTS = declareEvents({
  "webhook_endpoint.created": {
    ...OF_ENDPOINT,
    description: "A webhook endpoint was created.",
    data: EndpointData,
  },
  "webhook_endpoint.updated": {
    ...OF_ENDPOINT,
    description: "A webhook endpoint's settings changed.",
    data: EndpointData,
  },
  "webhook_endpoint.deleted": {
    ...OF_ENDPOINT,
    description: "A webhook endpoint was deleted.",
    data: EndpointData,
  },
  "webhook_endpoint.ping": {
    ...OF_ENDPOINT,
    description: "A user asked for a ping. It is only sent to its own endpoint, whatever its filter.",
    data: PingData,
  },
  "webhook_endpoint.failing": {
    ...OF_ENDPOINT,
    description: "Five deliveries in a row failed. Until one succeeds, events wait.",
    data: EndpointData,
  },
  "webhook_endpoint.recovered": {
    ...OF_ENDPOINT,
    description: "A failing endpoint succeeded again. The events that waited are sent now.",
    data: EndpointData,
  },
  "webhook_endpoint.disabled": {
    ...OF_ENDPOINT,
    description: "Nothing is sent to the endpoint until a user enables it.",
    data: DisabledData,
  },
  "webhook_endpoint.enabled": {
    ...OF_ENDPOINT,
    description: "A user enabled the endpoint.",
    data: EndpointData,
  },
  "webhook_endpoint.secret_rotated": {
    ...OF_ENDPOINT,
    description: "The endpoint has a new secret.",
    data: EndpointData,
  },
});

/** A ping only goes to its own endpoint, as a delivery that its creation made. */
export const PING = WEBHOOK_EVENTS["webhook_endpoint.ping"].type;
