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
    description: "Which events it receives.",
  }),
  projectId: Nullable(Id("proj", "Only events of this project; null: of all.")),
  environmentId: Nullable(Id("env", "Only events of this environment; null: of all.")),
  description: Text("Shown to people.", "Chat of the team"),
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
      "Why it is disabled: by a `USER`, by its answer 410 (`GONE`), or after five days without a success (`FAILING`).",
      null,
    ),
  ),
  failingSince: NullableInstant("The first failure after the last success; null after a success.", null),
  previousSecretUntil: NullableInstant(
    "Until when the previous secret also signs; null if there is none.",
    null,
  ),
  isReplaying: Type.Boolean({ description: "Whether a replay is running.", examples: [false] }),
  createdAt: CreatedAt(),
  updatedAt: UpdatedAt(),
};

export const WebhookEndpointSchema = Type.Object(ENDPOINT_FIELDS, {
  title: "WebhookEndpoint",
  description: "Where events are sent.",
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
        description: "What went wrong, for programs.",
        examples: ["ANSWER_TIMEOUT"],
      }),
      message: Text("What went wrong.", "No answer within 15 seconds."),
      action: Text("What to do.", "Answer first, with 2xx, and do the work afterwards."),
    },
    { title: "WebhookAttemptError", description: "Why an attempt failed." },
  ),
);

const HttpStatusSchema = Nullable(
  Type.Integer({ description: "The status of the answer.", examples: [504] }),
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
  subjectId: Id("dom", "What the event is about."),
  trigger: TriggerSchema,
  status: DeliveryStatusSchema,
  attempts: Type.Integer({ description: "How often it was sent.", examples: [1] }),
  lastAttemptAt: NullableInstant("When it was last sent."),
  lastStatus: HttpStatusSchema,
  lastError: At(ErrorSchema, "Why the last attempt failed; null if it did not, or its outcome is unknown."),
  nextAttemptAt: NullableInstant("When it is sent next, if the endpoint is not failing; null if it is not."),
  createdAt: CreatedAt(),
};

export const DeliverySchema = Type.Object(DELIVERY_FIELDS, {
  title: "WebhookDelivery",
  description: "An event that an endpoint was sent.",
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
    number: Type.Integer({ description: "As in the header `Slipway-Attempt`.", examples: [1] }),
    trigger: TriggerSchema,
    url: Text("Where it was sent.", "https://hooks.acme.example/slipway"),
    startedAt: Instant("When it was sent."),
    endedAt: NullableInstant(
      "When it ended. Null while it runs; otherwise its outcome is unknown, and it was repeated.",
      "2026-11-20T09:30:27.000Z",
    ),
    address: Nullable(Text("The address that was dialled.", "203.0.113.7")),
    dnsMs: ms("Looking up the name", 3.1),
    connectMs: ms("Connecting", 12.4),
    tlsMs: ms("The TLS handshake", 25.2),
    firstByteMs: ms("Until the answer began", 120.5),
    totalMs: ms("The whole attempt", 161.2),
    status: HttpStatusSchema,
    responseHeaders: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
      description: "The headers of the answer.",
      examples: [{ "content-type": "text/plain" }],
    }),
    responseBody: Nullable(
      Text(
        "The first 16 KiB of the answer; null without an answer, and after seven days.",
        "upstream timed out",
      ),
    ),
    isCut: Nullable(Type.Boolean({ description: "Whether the answer was longer.", examples: [false] })),
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
