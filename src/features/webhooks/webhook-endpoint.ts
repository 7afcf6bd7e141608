/**
 * Where an organization wants its events to be sent.
 *
 *   HEALTHY   answers with 2xx
 *   FAILING   failed five times in a row: one event at a time is tried until one succeeds; the others wait and spend no
 *             attempts. Becomes HEALTHY with the first success.
 *   DISABLED  by a user, by its answer 410, or after five days without a success. Leaves it when a user enables it.
 */
export const ENDPOINT_STATUSES = ["HEALTHY", "FAILING", "DISABLED"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export const DISABLED_REASONS = ["USER", "GONE", "FAILING"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const ENDPOINTS_MAX = 50;
export const URL_LENGTH_MAX = 2_048;
export const HEADERS_MAX = 10;

/** How an endpoint is, as its attempts have shown. */
export type Health = {
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | null;
  /** In a row. */
  readonly failures: number;
  /** When the first of them was. */
  readonly failingSince: Date | null;
  /** Nothing is sent before, except what a user asked for. */
  readonly resumeAt: Date | null;
};

/** Which events an endpoint gets. */
export type EndpointFilter = {
  /** Types, such as `domain.attached`, `domain.*` and `*`. */
  readonly types: readonly string[];
  readonly projectId: string | null;
  readonly environmentId: string | null;
};

/** Sends the events after `cursor` and up to `through` again. */
export type Replay = {
  readonly cursor: number;
  readonly through: number;
  /** Types as in a filter; null for all that the endpoint gets. */
  readonly types: readonly string[] | null;
  /** Only events whose delivery has failed. */
  readonly isOfFailed: boolean;
};

export type WebhookEndpoint = EndpointFilter &
  Health & {
    readonly organizationId: string;
    readonly id: string;
    readonly url: string;
    readonly description: string;
    readonly maxPerSecond: number | null;
    /** The names of additional headers; their values stay sealed in the row. */
    readonly headerNames: readonly string[];
    /** Until when the previous secret also signs; null if there is none. */
    readonly previousSecretUntil: Date | null;
    /** All events up to this number were checked. */
    readonly cursor: number;
    /** The last of them that matched. */
    readonly matched: number | null;
    readonly replayCursor: number | null;
    readonly replayThrough: number | null;
    readonly replayTypes: readonly string[] | null;
    readonly isReplayOfFailed: boolean;
    readonly createdAt: Date;
    readonly updatedAt: Date;
  };

/** What a user sets. `headers` are kept apart, because they are sealed. */
export type EndpointSettings = EndpointFilter &
  Pick<WebhookEndpoint, "url" | "description" | "maxPerSecond" | "headerNames">;

export function replayOf(endpoint: WebhookEndpoint): Replay | null {
  const { replayCursor: cursor, replayThrough: through, replayTypes: types } = endpoint;
  if (cursor === null || through === null) return null;
  return { cursor, through, types, isOfFailed: endpoint.isReplayOfFailed };
}

/** What its events say of an endpoint: the rest of a URL is often secret. */
export function dataOf({ url, status }: Pick<WebhookEndpoint, "url" | "status">) {
  return { host: new URL(url).host, status };
}

type Owner = Pick<WebhookEndpoint, "organizationId" | "id">;

/** What a secret's seal is bound to, so that it does not open in another row. */
export function secretIdentity({ organizationId, id }: Owner): readonly string[] {
  return ["webhook secret", organizationId, id];
}

/** What the seal of additional headers is bound to. */
export function headersIdentity({ organizationId, id }: Owner): readonly string[] {
  return ["webhook headers", organizationId, id];
}
