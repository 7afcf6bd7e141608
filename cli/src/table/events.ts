import { ALL, type Command, type Flag, LIMIT } from "./command.ts";

export const TYPES: Flag = {
  name: "types",
  value: "TYPES",
  says: "only these types, separated by commas: deployment.succeeded,domain.*",
};
const SUBJECT: Flag = { name: "subject", value: "ID", says: "only events of this resource" };

export const EVENTS: readonly Command[] = [
  {
    words: "events list",
    says: "List events, oldest first",
    flags: [TYPES, SUBJECT, { name: "after", value: "SEQUENCE", says: "only later events" }, LIMIT, ALL],
    examples: ["slipway events list --types 'domain.*' --limit 20"],
    load: async () => (await import("../commands/events/list.ts")).listEvents,
  },
  {
    words: "events tail",
    says: "Print events as they happen, until Ctrl-C",
    flags: [
      TYPES,
      SUBJECT,
      { name: "after", value: "SEQUENCE", says: "begin after this event (default: with the next one)" },
    ],
    streams: true,
    examples: ["slipway events tail --json", "slipway events tail --types 'deployment.*'"],
    load: async () => (await import("../commands/events/list.ts")).tailEvents,
  },
  {
    words: "events listen",
    says: "Forward events to a program on this machine, signed like webhooks",
    more: [
      "The secret to verify them with is made once, and printed at the start. It is not one of your endpoints'. An event",
      "is sent until the program answers 2xx, and the next start goes on after the last one.",
    ],
    flags: [
      {
        name: "forward-to",
        value: "URL",
        says: "an address of this machine, such as http://localhost:3000/hooks",
      },
      TYPES,
      SUBJECT,
      {
        name: "after",
        value: "SEQUENCE",
        says: "begin after this event (default: where the last listen ended)",
      },
    ],
    streams: true,
    examples: ["slipway events listen --forward-to http://localhost:3000/hooks --types 'domain.*'"],
    load: async () => (await import("../commands/events/listen.ts")).listen,
  },
];
