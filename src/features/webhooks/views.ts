import { Type } from "typebox";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
} from "../../http/schemas.ts";
import { ATTEMPT_ERRORS, describeAttemptError } from "./attempt-error.ts";
import { type Attempt, DELIVERY_STATUSES, type ListedDelivery, TRIGGERS } from "./delivery.ts";
import { ENDPOINT_STATUSES, type WebhookEndpoint } from "./webhook-endpoint.ts";

const ENDPOINT_FIELDS = {
  id: Id("whe", "Id of the endpoint."),
  url: Text("Where the events are sent.", "https://hooks.acme.example/slipway"),
  types: Type.Array(Text("A type, `domain.*` or `*`.", "domain.*"), {
    description: "The event types that it receives.",
  }),
  projectId: Nullable(Id("proj", "Only events of this project; null for all projects.")),
  environmentId: Nullable(Id("env", "Only events of this environment; null for all environments.")),
  description: Text("Display name.", "Chat of the team"),
  maxPerSecond: Nullable(
    Type.Integer({
      description: "The maximum number of deliveries per second; null for no limit.",
      examples: [20],
    }),
  ),
  headerNames: Type.Array(Text("A name.", "authorization"), {
    description: "The additional headers. Their values are never shown.",
  }),
  status: Words(ENDPOINT_STATUSES, {
    title: "WebhookEndpointStatus",
    description:
      "`FAILING` after five failures in a row: one event at a time is tried, the others wait. `DISABLED` endpoints receive nothing.",
    examples: ["HEALTHY"],
  }),
  disabledReason: Nullable(
    Text(
      "Why it is disabled. `USER`: a user disabled it. `GONE`: it answered 410. `FAILING`: five days passed without a success.",
      null,
    ),
  ),
  failingSince: NullableInstant(
    "When the first failure after the last success occurred; null after a success.",
    null,
  ),
  previousSecretUntil: NullableInstant(
    "Until when the previous secret also signs; null if there is none.",
    null,
  ),
  isReplaying: Type.Boolean({ description: "Whether a replay is running.", examples: [false] }),
  isUsed: Type.Boolean({
    description: "Whether an event or a test was sent to it yet. If-Match is not compared with it.",
    examples: [true],
  }),
  createdAt: CreatedAt(),
  updatedAt: UpdatedAt(),
};

export const WebhookEndpointSchema = Type.Object(ENDPOINT_FIELDS, {
  title: "WebhookEndpoint",
  description: "An address that events are sent to.",
});

const SECRET = Text(
  "The secret that signs the deliveries (Standard Webhooks). Shown only once.",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
);

export const NewWebhookEndpointSchema = Type.Object(
  { ...ENDPOINT_FIELDS, secret: SECRET },
  { title: "NewWebhookEndpoint", description: "An endpoint, and the secret that signs its deliveries." },
);

export const WebhookSecretSchema = Type.Object(
  { secret: SECRET, previousSecretUntil: ENDPOINT_FIELDS.previousSecretUntil },
  { title: "WebhookSecret", description: "The new secret of an endpoint." },
);

export function viewEndpoint(endpoint: WebhookEndpoint) {
  return {
    ...endpoint,
    types: [...endpoint.types],
    headerNames: [...endpoint.headerNames],
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    previousSecretUntil: endpoint.previousSecretUntil?.toISOString() ?? null,
    isReplaying: endpoint.replayCursor !== null,
    isUsed: endpoint.matched !== null,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

export const ReplaySchema = Type.Object(
  {
    count: Type.Integer({
      description: "How many events are sent again, counted up to 100,000.",
      examples: [12],
    }),
    isMore: Type.Boolean({ description: "Whether there are more than were counted.", examples: [false] }),
  },
  { title: "WebhookReplay", description: "A replay that has begun." },
);

const ErrorSchema = Nullable(
  Type.Object(
    {
      code: Words(Object.keys(ATTEMPT_ERRORS), {
        title: "WebhookAttemptErrorCode",
        description: "The error code, for programs.",
        examples: ["ANSWER_TIMEOUT"],
      }),
      message: Text("The error.", "No answer within 15 seconds."),
      action: Text("What to do.", "Answer first, with 2xx, and do the work afterwards."),
    },
    { title: "WebhookAttemptError", description: "Why an attempt failed." },
  ),
);

const HttpStatusSchema = Nullable(
  Type.Integer({ description: "The status of the response.", examples: [504] }),
);

export const DeliveryStatusSchema = Words(DELIVERY_STATUSES, {
  title: "WebhookDeliveryStatus",
  description:
    "`PENDING` while it is sent or waits for its next attempt; `FAILED` after all attempts, until it is sent again.",
  examples: ["PENDING"],
});
const TriggerSchema = Words(TRIGGERS, {
  title: "WebhookTrigger",
  description:
    "Why it is sent: automatically (`auto`), by a `replay`, by a redelivery (`manual`), or as a `ping`.",
  examples: ["auto"],
});

const DELIVERY_FIELDS = {
  id: Id("whd", "Id of the delivery."),
  eventId: Nullable(
    Id("evt", "The event's id, which is the `webhook-id`. Null until a ping has its number."),
  ),
  eventType: Text("The event's type.", "domain.attached"),
  sequence: Nullable(Type.Integer({ description: "The event's number.", examples: [57] })),
  subjectId: Id("dom", "The subject of the event."),
  trigger: TriggerSchema,
  status: DeliveryStatusSchema,
  attempts: Type.Integer({ description: "The number of attempts.", examples: [1] }),
  lastAttemptAt: NullableInstant("When it was last sent."),
  lastStatus: HttpStatusSchema,
  lastError: At(ErrorSchema, "Why the last attempt failed; null if it did not, or its outcome is unknown."),
  nextAttemptAt: NullableInstant(
    "When it is sent next, if the endpoint is not failing; null if no attempt is due.",
  ),
  createdAt: CreatedAt(),
};

export const DeliverySchema = Type.Object(DELIVERY_FIELDS, {
  title: "WebhookDelivery",
  description: "The delivery of one event to an endpoint.",
});

export function viewDelivery(delivery: ListedDelivery) {
  const { status, nextAttemptAt } = delivery;
  return {
    ...delivery,
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    lastError: describeAttemptError(delivery.lastErrorCode),
    nextAttemptAt: status === "PENDING" ? nextAttemptAt.toISOString() : null,
    createdAt: delivery.createdAt.toISOString(),
  };
}

const ms = (description: string, example: number) =>
  Nullable(
    Type.Number({
      description: `${description}, in ms; null if the attempt did not get that far.`,
      examples: [example],
    }),
  );

const AttemptSchema = Type.Object(
  {
    number: Type.Integer({
      description: "The number of the attempt, as in the header `Slipway-Attempt`.",
      examples: [1],
    }),
    trigger: TriggerSchema,
    url: Text("Where it was sent.", "https://hooks.acme.example/slipway"),
    startedAt: Instant("When it was sent."),
    endedAt: NullableInstant(
      "When it ended. Null while it runs, and if its outcome is unknown; it was repeated then.",
      "2026-11-20T09:30:27.000Z",
    ),
    address: Nullable(Text("The IP address that the connection was made to.", "203.0.113.7")),
    dnsMs: ms("The time of the DNS lookup", 3.1),
    connectMs: ms("The time to connect", 12.4),
    tlsMs: ms("The time of the TLS handshake", 25.2),
    firstByteMs: ms("The time until the response began", 120.5),
    totalMs: ms("The time of the whole attempt", 161.2),
    status: HttpStatusSchema,
    responseHeaders: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
      description: "The headers of the response.",
      examples: [{ "content-type": "text/plain" }],
    }),
    responseBody: Nullable(
      Text(
        "The first 16 KiB of the response; null without a response, and after seven days.",
        "upstream timed out",
      ),
    ),
    isCut: Nullable(
      Type.Boolean({
        description: "Whether the response was longer than `responseBody`.",
        examples: [false],
      }),
    ),
    error: At(ErrorSchema, "Why it failed; null if it did not, or its outcome is unknown."),
    nextAttemptAt: NullableInstant("When the next attempt was due after this one; null if none was.", null),
  },
  { title: "WebhookAttempt", description: "One attempt of a delivery." },
);

export const DeliveryWithAttemptsSchema = Type.Object(
  {
    ...DELIVERY_FIELDS,
    log: Type.Array(AttemptSchema, { description: "Its attempts, the newest first, 50 at most." }),
  },
  { title: "WebhookDeliveryWithLog", description: "A delivery and its attempts." },
);

export function viewAttempt(attempt: Attempt) {
  return {
    ...attempt,
    startedAt: attempt.startedAt.toISOString(),
    endedAt: attempt.endedAt?.toISOString() ?? null,
    error: describeAttemptError(attempt.errorCode),
    nextAttemptAt: attempt.nextAttemptAt?.toISOString() ?? null,
  };
}
