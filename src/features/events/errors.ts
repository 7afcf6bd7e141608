import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const EVENT_ERRORS = declareErrors({
  EVENTS_EXPIRED: {
    status: 410,
    title: "The events are no longer kept",
    cause: "Events after the given number are older than 30 days and were removed.",
    remedy:
      "Read the resources that you follow again. Then set `after` to `oldest` minus 1; `oldest` is the number of the oldest event that is kept.",
  },
});

export const EVENT_FAULTS = declareFaults({
  UNKNOWN_EVENT_TYPE: "The event type is unknown. The message names the nearest type.",
  AFTER_THE_LAST: "No event has this number yet.",
});
