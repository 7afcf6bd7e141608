import type { DisabledReason, EndpointStatus, Health } from "../webhooks/webhook-endpoint.ts";

export const CHANNEL_KINDS = ["slack", "discord", "teams", "email"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const CHANNELS_MAX = 50;
export const RECIPIENTS_MAX = 20;
export const OWN_PROJECTS_MAX = 100;

/** Which events a channel reports. */
export type ChannelFilter = {
  /** As given, such as `domain.*`; null for the default set, which later releases may extend. */
  readonly types: readonly string[] | null;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  /** Of a user's channel: its projects; null for all that the user sees, and for a channel of the organization. */
  readonly projectIds: readonly string[] | null;
};

/** Where people receive messages. Its states are those of a webhook endpoint. */
export type Channel = ChannelFilter &
  Health & {
    readonly organizationId: string;
    readonly id: string;
    /** The user whose account has the address; null for a channel of the organization. */
    readonly userId: string | null;
    readonly kind: ChannelKind;
    readonly name: string;
    /** The host of the sealed URL; null for e-mail. */
    readonly host: string | null;
    /** Addresses of e-mail; null for other kinds, and for a user's channel: its user's address is read when it sends. */
    readonly recipients: readonly string[] | null;
    readonly status: EndpointStatus;
    readonly disabledReason: DisabledReason | null;
    /** All events up to this number were read. */
    readonly cursor: number;
    readonly lastSentAt: Date | null;
    /** Of the last attempt; null after a success. */
    readonly errorCode: string | null;
    /** The beginning of the receiver's answer to it. */
    readonly answer: string | null;
    readonly createdAt: Date;
    readonly updatedAt: Date;
  };

/** What a user sets, apart from the URL, which is sealed. */
export type ChannelSettings = ChannelFilter & Pick<Channel, "name" | "host" | "recipients">;

/** What a change of a user's channel is announced by: it may not exist yet. */
export const ownChannelOf = (userId: string): string => `notifications of ${userId}`;

/** What the events of a channel contain: its URL is a secret, and addresses belong to people. */
export function dataOf({ kind, name, status }: Pick<Channel, "kind" | "name" | "status">) {
  return { kind, name, status };
}

/** What the seal of a channel's URL is bound to. */
export function urlIdentity({ organizationId, id }: Pick<Channel, "organizationId" | "id">) {
  return ["notification channel url", organizationId, id] as const;
}
