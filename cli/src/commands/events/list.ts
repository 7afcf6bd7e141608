import type { Event } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";

export const listEvents: Handler = async (context, input) => {
  const client = await context.client();
  const query = { limit: PAGE, ...queryOf(input), ...afterOf(input) };
  context.output.list(await takeLimited(input, context.output, client.events.list(query)), [
    { title: "sequence", of: ({ sequence }) => sequence },
    { title: "at", of: ({ timestamp }) => timestamp },
    { title: "type", of: ({ type }) => type },
    { title: "subject", of: ({ subject }) => subject.id },
  ]);
};

export const tailEvents: Handler = async (context, input) => {
  const { output } = context;
  for await (const { event, position } of follow(context, input, input.number("after", 0) ?? null)) {
    context.resumeBy(`To go on from here: slipway events tail --after ${position}`);
    if (event !== null)
      output.streamed(event, `${event.sequence}  ${event.timestamp}  ${event.type}  ${event.subject.id}`);
  }
};

export type StreamedEvent = {
  /** All events up to this number were given, or do not match. */
  readonly position: number;
  readonly event: Event | null;
};

/** @param after the number after which to begin; null: with the next that happens */
export async function* follow(
  context: Context,
  input: Input,
  after: number | null,
): AsyncGenerator<StreamedEvent> {
  const client = await context.client();
  const feed = client.events.stream(queryOf(input), {
    signal: context.signal,
    ...(after === null ? {} : { lastEventId: String(after) }),
  });
  for await (const one of feed)
    yield { position: Number(one.id), event: one.event === "message" ? one.data : null };
}

function queryOf(input: Input): { types?: string; subjectId?: string } {
  const types = input.text("types");
  const subjectId = input.text("subject");
  return {
    ...(types === undefined ? {} : { types }),
    ...(subjectId === undefined ? {} : { subjectId }),
  };
}

function afterOf(input: Input): { after?: string } {
  const after = input.number("after", 0);
  return after === undefined ? {} : { after: String(after) };
}
