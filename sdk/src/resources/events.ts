import type { StreamOptions } from "../event-stream.ts";
import { Events as Generated } from "../generated/resources.ts";
import type { Event, EventsListQuery } from "../generated/types.ts";

export class Events extends Generated {
  /**
   * Events as they happen, until the caller stops; each once and in order, also when the connection breaks.
   * @param query `after` the number of an event, to begin after it; without it, with the next that happens
   * @throws ApiError `EVENTS_EXPIRED` if the event after it is no longer kept; `problem.oldest` is the oldest that is
   */
  async *follow(
    query: Omit<EventsListQuery, "limit"> = {},
    options?: StreamOptions,
  ): AsyncGenerator<Event, void> {
    for await (const one of this.stream(query, options)) if (one.event === "message") yield one.data;
  }
}
