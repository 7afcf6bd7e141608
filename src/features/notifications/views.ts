import { Type } from "typebox";
import { CreatedAt, Id, Nullable, NullableInstant, Text, UpdatedAt, Words } from "../../http/schemas.ts";
import { ENDPOINT_STATUSES } from "../webhooks/webhook-endpoint.ts";
import { KindSchema } from "./body.ts";
import { CHANNEL_ERRORS, describeChannelError } from "./channel-error.ts";
import type { Channel } from "./channel.ts";

const ANSWER = Nullable(
  Text("The beginning of the receiver's answer, or the reply of the mail server.", "invalid_payload"),
);

const ERROR_FIELDS = {
  code: Words(Object.keys(CHANNEL_ERRORS), {
    title: "NotificationErrorCode",
    description: "The error code, for programs.",
    examples: ["NOT_FOUND"],
  }),
  message: Text("The error.", "The receiver does not know the webhook."),
  action: Text("What to do.", "Create a new webhook in the receiver, and set its URL."),
};

const FIELDS = {
  id: Id("nch", "Id of the channel."),
  kind: KindSchema,
  name: Text("Display name.", "Operations"),
  host: Nullable(Text("The host of its URL; null for e-mail. The URL is never shown.", "hooks.slack.com")),
  recipients: Nullable(
    Type.Array(Text("An address.", "ops@acme.example"), {
      description: "The email addresses; null for other kinds.",
    }),
  ),
  types: Nullable(
    Type.Array(Text("A type, `domain.*` or `*`.", "domain.*"), {
      description: "The event types that it reports; null for the default set.",
    }),
  ),
  projectId: Nullable(Id("proj", "Only events of this project; null for all projects.")),
  environmentId: Nullable(Id("env", "Only events of this environment; null for all environments.")),
  status: Words(ENDPOINT_STATUSES, {
    title: "NotificationChannelStatus",
    description:
      "`FAILING` after five failures in a row; Slipway retries at least every 15 minutes. `DISABLED` channels receive nothing.",
    examples: ["HEALTHY"],
  }),
  disabledReason: Nullable(
    Text(
      "Why it is disabled. `USER`: a user disabled it. `GONE`: its receiver answered 410. `FAILING`: five days passed without a success.",
      null,
    ),
  ),
  failingSince: NullableInstant(
    "When the first failure after the last success occurred; null after a success.",
    null,
  ),
  lastSentAt: NullableInstant(
    "When its receiver last accepted a message; null if it did not yet. If-Match is not compared with it.",
  ),
  lastError: Nullable(
    Type.Object(
      { ...ERROR_FIELDS, answer: ANSWER },
      { title: "NotificationError", description: "Why the last attempt failed; null after a success." },
    ),
  ),
  createdAt: CreatedAt(),
  updatedAt: UpdatedAt(),
};

export const NotificationChannelSchema = Type.Object(FIELDS, {
  title: "NotificationChannel",
  description: "Where people receive messages about events.",
});

export function viewChannel(channel: Channel) {
  const { recipients, types, errorCode, answer } = channel;
  const error = describeChannelError(errorCode);
  return {
    ...channel,
    recipients: recipients === null ? null : [...recipients],
    types: types === null ? null : [...types],
    failingSince: channel.failingSince?.toISOString() ?? null,
    lastSentAt: channel.lastSentAt?.toISOString() ?? null,
    lastError: error === null ? null : { ...error, answer },
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
  };
}

export const OwnNotificationsSchema = Type.Object(
  {
    enabled: Type.Boolean({
      description: "Whether e-mail is sent to you. Without `mailServer` nothing is sent.",
      examples: [true],
    }),
    email: Nullable(
      Text("The address of your account, which an admin or the identity provider sets.", "ada@acme.example"),
    ),
    mailServer: Type.Boolean({
      description: "Whether this installation has a mail server.",
      examples: [true],
    }),
    types: FIELDS.types,
    projectIds: Nullable(
      Type.Array(Id("proj", "A project."), {
        description: "Only events of these projects; null for all that you see.",
      }),
    ),
    disabledReason: FIELDS.disabledReason,
    lastSentAt: FIELDS.lastSentAt,
    lastError: FIELDS.lastError,
  },
  {
    title: "OwnNotifications",
    description:
      "E-mail to the caller about events. It is only about projects that the caller sees, and events that the caller's role reads.",
  },
);

/** @param channel null if the user has not chosen anything yet */
export function viewOwnNotifications(channel: Channel | null, email: string | null, mailServer: boolean) {
  const view = channel === null ? null : viewChannel(channel);
  return {
    enabled: view !== null && view.status !== "DISABLED",
    email,
    mailServer,
    types: view?.types ?? null,
    projectIds: channel?.projectIds ? [...channel.projectIds] : null,
    disabledReason: view?.disabledReason ?? null,
    lastSentAt: view?.lastSentAt ?? null,
    lastError: view?.lastError ?? null,
  };
}

export const NotificationTestSchema = Type.Object(
  {
    isAccepted: Type.Boolean({
      description: "Whether the receiver accepted the message.",
      examples: [false],
    }),
    status: Nullable(
      Type.Integer({
        description: "The HTTP status of the answer; null for e-mail, and without an answer.",
        examples: [404],
      }),
    ),
    answer: ANSWER,
    error: Nullable(
      Type.Object(ERROR_FIELDS, { title: "NotificationTestError", description: "Why it was not accepted." }),
    ),
  },
  { title: "NotificationTest", description: "What the receiver answered to a test." },
);
