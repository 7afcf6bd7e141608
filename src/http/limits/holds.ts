/**
 * Requests that are held open: reads that wait for a change (`Prefer: wait`), and streams of events. Each key and each
 * organization has a limit. While a request is held, its key is checked again and again: when the key was revoked or
 * deleted, or may no longer do this, it gets nothing more.
 */
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { createTally } from "../../lib/pace/tally.ts";

export type Hold = {
  /** Fires when the request may no longer be held; the reason is the refusal. */
  readonly signal: AbortSignal;
  end(): void;
};

export type Holds = {
  /** @throws AppError `TOO_MANY_HELD` */
  begin(request: {
    readonly actor: Actor;
    readonly kind: keyof typeof WEIGHTS;
    /** Checks again whether the caller may do this. @throws AppError if not */
    readonly admitAgain: () => Promise<void>;
  }): Hold;
};

export type HoldLimits = { readonly perKey: number; readonly perOrganization: number };

/** A stream polls the cloud; a waiting read only listens. */
const WEIGHTS = { wait: 1, stream: 10 } as const;

/** Together with the time that authentication is remembered (`auth.ts`, 3 s), less than five seconds. */
const AGAIN_AFTER_MS = 1_500;
const RETRY_AFTER_SECONDS = 5;

export function createHolds(limits: HoldLimits): Holds {
  const held = createTally();

  const take = (holder: string, weight: number, limit: number, whose: string): void => {
    if (held.of(holder) + weight > limit) {
      throw new AppError(
        HTTP_ERRORS.TOO_MANY_HELD,
        `${whose} has reached its limit of ${limit} open requests that wait; an event stream counts as ${WEIGHTS.stream}. Close some, or send the request without Prefer: wait.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    held.add(holder, weight);
  };

  return {
    begin({ actor, kind, admitAgain }) {
      const { credential, organizationId } = actor;
      const weight = WEIGHTS[kind];
      take(credential.id, weight, limits.perKey, "The caller");
      try {
        take(organizationId, weight, limits.perOrganization, "The organization");
      } catch (error) {
        held.add(credential.id, -weight);
        throw error;
      }
      const over = new AbortController();
      let timer: NodeJS.Timeout | null = null;
      const checkLater = (): void => {
        timer = setTimeout(() => void checkKey(), AGAIN_AFTER_MS);
      };
      const checkKey = async (): Promise<void> => {
        try {
          await admitAgain();
          if (timer !== null) checkLater();
        } catch (error) {
          // A database that does not answer ends the hold too: the key can no longer be checked.
          over.abort(error);
        }
      };
      checkLater();
      return {
        signal: over.signal,
        end() {
          if (timer === null) return;
          clearTimeout(timer);
          timer = null;
          held.add(credential.id, -weight);
          held.add(organizationId, -weight);
        },
      };
    },
  };
}
