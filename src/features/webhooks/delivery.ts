/**
 * An event on its way to an endpoint.
 *
 *   PENDING    is being sent, or waits for its next attempt
 *   DELIVERED  was answered with 2xx
 *   FAILED     all attempts failed; a replay or a redelivery sends it again
 */
import type { Trace } from "../../egress/egress-error.ts";
export const DELIVERY_STATUSES = ["PENDING", "DELIVERED", "FAILED"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why it is sent: automatically, by a replay, by a redelivery of this one, or as a ping. */
export const TRIGGERS = ["auto", "replay", "manual", "ping"] as const;
export type Trigger = (typeof TRIGGERS)[number];

export type Delivery = {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly id: string;
  /** Null for a ping whose event has no number yet. */
  readonly sequence: number | null;
  readonly eventId: string | null;
  readonly eventType: string;
  readonly subjectId: string;
  /** The number of the event before it that the endpoint gets. */
  readonly previousSequence: number | null;
  readonly trigger: Trigger;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The attempts that count for the schedule. */
  readonly spent: number;
  readonly isOpen: boolean;
  /** Whether later events of its subject were passed over because of it. */
  readonly holds: boolean;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
};

/** A delivery and what its last attempt showed. */
export type ListedDelivery = Delivery & {
  readonly lastStatus: number | null;
  readonly lastErrorCode: string | null;
  readonly lastAttemptAt: Date | null;
};

export type Attempt = { readonly [K in keyof Trace]: Trace[K] | null } & {
  readonly deliveryId: string;
  readonly number: number;
  readonly trigger: Trigger;
  readonly url: string;
  readonly startedAt: Date;
  /** Null while it runs, or if its outcome is unknown. */
  readonly endedAt: Date | null;
  readonly status: number | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** At most 16 KiB. */
  readonly responseBody: string | null;
  readonly isCut: boolean | null;
  readonly errorCode: string | null;
  readonly nextAttemptAt: Date | null;
};
