import { type TSchema, Type } from "typebox";
import { declareEvents } from "../events/event.ts";
import { DISABLED_REASONS, ENDPOINT_STATUSES } from "../webhooks/webhook-endpoint.ts";
import { CHANNEL_KINDS } from "./channel.ts";

const FIELDS = {
  kind: Type.Unsafe<(typeof CHANNEL_KINDS)[number]>({
    type: "string",
    enum: CHANNEL_KINDS,
    description: "The kind of its receiver.",
    examples: ["slack"],
  }),
  name: Type.String({ description: "The channel's name.", examples: ["Operations"] }),
  status: Type.Unsafe<(typeof ENDPOINT_STATUSES)[number]>({
    type: "string",
    enum: ENDPOINT_STATUSES,
    description: "The channel's status.",
    examples: ["FAILING"],
  }),
};
const ChannelData = Type.Object(FIELDS);
const DisabledData = Type.Object({
  ...FIELDS,
  reason: Type.Unsafe<(typeof DISABLED_REASONS)[number]>({
    type: "string",
    enum: DISABLED_REASONS,
    description:
      "`USER`: a user disabled it. `GONE`: its receiver answered 410. `FAILING`: five days passed without a success.",
    examples: ["FAILING"],
  }),
});

const of = <Data extends TSchema>(data: Data, description: string) =>
  ({ subject: "notification_channel", role: "admin", description, data }) as const;

export const NOTIFICATION_EVENTS = declareEvents({
  "notification_channel.created": of(ChannelData, "A notification channel was created."),
  "notification_channel.updated": of(ChannelData, "A notification channel's settings changed."),
  "notification_channel.deleted": of(ChannelData, "A notification channel was deleted."),
  "notification_channel.enabled": of(ChannelData, "A user enabled the channel."),
  "notification_channel.failing": of(
    ChannelData,
    "Five attempts in a row failed. Slipway retries, and sends the states of the time when an attempt succeeds.",
  ),
  "notification_channel.recovered": of(ChannelData, "A failing channel accepted a message."),
  "notification_channel.disabled": of(
    DisabledData,
    "Nothing is sent to the channel until a user enables it.",
  ),
});
