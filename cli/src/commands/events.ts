import { type Command, type Flag, LIMITS, TYPES } from "../command.ts";
import { PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { followEvents, listen, queryOf } from "./listen.ts";

const SUBJECT: Flag = { name: "subject", value: "ID", says: "only events of this resource" };
const after = (says: string): Flag => ({ name: "after", value: "SEQUENCE", says });

export const EVENTS: readonly Command[] = [
  {
    words: "events list",
    says: "List events, oldest first",
    flags: [TYPES, SUBJECT, after("only later events"), ...LIMITS],
    examples: ["slipway events list --types 'domain.*' --limit 20"],
    async run(context, input) {
      const query = { limit: PAGE, ...queryOf(input), after: input.number("after", 0)?.toString() };
      await printList(context, input, context.client.events.list(query), [
        "sequence",
        { title: "at", of: ({ timestamp }) => timestamp },
        "type",
        { title: "subject", of: ({ subject }) => subject.id },
      ]);
    },
  },
  {
    words: "events tail",
    says: "Print events as they happen, until Ctrl-C",
    flags: [TYPES, SUBJECT, after("begin after this event (default: with the next one)")],
    streams: true,
    examples: ["slipway events tail --json", "slipway events tail --types 'deployment.*'"],
    async run(context, input) {
      const { output, resumeBy } = context;
      const from = input.number("after", 0) ?? null;
      for await (const { event, position } of followEvents(context, input, from)) {
        resumeBy(`To continue from here: slipway events tail --after ${position}`);
        if (event !== null)
          output.streamed(event, `${event.sequence}  ${event.timestamp}  ${event.type}  ${event.subject.id}`);
      }
    },
  },
  {
    words: "events listen",
    says: "Forward events to a program on this machine, signed like webhooks",
    more: [
      "The secret to verify them with is made once, and printed at the start. It is not one of your endpoints'. An event",
      "is sent until the program answers 2xx, and the next start continues after the last one.",
    ],
    flags: [
      {
        name: "forward-to",
        value: "URL",
        required: true,
        says: "an address of this machine, such as http://localhost:3000/hooks",
      },
      TYPES,
      SUBJECT,
      after("begin after this event (default: where the last listen ended)"),
    ],
    streams: true,
    examples: ["slipway events listen --forward-to http://localhost:3000/hooks --types 'domain.*'"],
    run: listen,
  },
];
