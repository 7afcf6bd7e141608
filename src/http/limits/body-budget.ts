/**
 * Limits the bytes of bodies in memory: bodies that are arriving, and bodies of unanswered requests. Charges what is
 * really kept, not what a header announces, so an announcement costs nothing.
 */
import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { createTally } from "../../lib/pace/tally.ts";

export type BodyBudget = {
  /** @param giveUp called with the refusal when others need the room of a body that arrives slowly */
  open(holder: string, giveUp: (refusal: AppError) => void): BodyShare;
};

export type BodyShare = {
  /** @throws AppError `BODIES_IN_FLIGHT` when the holder has used its share, `OVERLOADED` when all room is taken */
  take(bytes: number): void;
  /** The body has arrived: it can no longer be given up. */
  settle(): void;
  release(): void;
};

/** A body that takes longer than this to arrive makes room for others. */
const SLOW_AFTER_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

export function createBodyBudget(options: {
  readonly totalBytes: number;
  readonly holderBytes: number;
  readonly nowMs?: () => number;
}): BodyBudget {
  const { totalBytes, holderBytes, nowMs = () => performance.now() } = options;
  const holders = createTally();
  /** Bodies that are arriving, the oldest first. */
  const arriving = new Map<object, { readonly sinceMs: number; readonly giveUp: () => void }>();
  let total = 0;

  /** Gives up slow bodies, the oldest first, until there is room. */
  const makeRoom = (bytes: number, asking: object): void => {
    for (const [key, { sinceMs, giveUp }] of arriving) {
      if (total + bytes <= totalBytes || nowMs() - sinceMs < SLOW_AFTER_MS) return;
      if (key !== asking) giveUp();
    }
  };

  return {
    open(holder, giveUp) {
      const key = {};
      let taken = 0;
      const release = (): void => {
        arriving.delete(key);
        total -= taken;
        holders.add(holder, -taken);
        taken = 0;
      };
      arriving.set(key, {
        sinceMs: nowMs(),
        giveUp: () => {
          release();
          giveUp(
            overloaded(
              "The body arrived too slowly while other requests waited for memory. Send the request again.",
            ),
          );
        },
      });
      return {
        take(bytes) {
          if (holders.of(holder) + bytes > holderBytes) throw holderFull();
          if (total + bytes > totalBytes) makeRoom(bytes, key);
          if (total + bytes > totalBytes)
            throw overloaded(
              "Too many request bodies are being received. Nothing was done. Send the request again.",
            );
          taken += bytes;
          total += bytes;
          holders.add(holder, bytes);
        },
        settle: () => void arriving.delete(key),
        release,
      };
    },
  };
}

/** IPv6 addresses are counted by network, because the owner of one address usually has 2⁶⁴ of them. */
export function holderOfAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

function holderFull(): AppError {
  return new AppError(
    HTTP_ERRORS.BODIES_IN_FLIGHT,
    "Too many bytes of your request bodies are being received at once. Send fewer requests at a time.",
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function overloaded(message: string): AppError {
  return new AppError(HTTP_ERRORS.OVERLOADED, message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
