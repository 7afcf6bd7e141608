import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Event, webhooks } from "../../../sdk/src/index.ts";
import { type Command, type Flag, type Handler, type Input, LIMITS, TYPES } from "../command.ts";
import { isLoopback } from "../connection.ts";
import type { Context } from "../context.ts";
import { readIfThere, stateFolder, writePrivately } from "../credentials.ts";
import { UsageError } from "../failure.ts";
import { PAGE } from "../lookup.ts";
import { printList } from "../print.ts";

/** As a webhook's receiver has. */
const ANSWER_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** What stays between two starts: for each server and address of this machine. */
type State = { readonly secret: string; readonly after: number | null };

const listen: Handler = async (context, input) => {
  const { output } = context;
  const target = checkTarget(input.requiredText("forward-to"));
  const file = await stateFile(context, target);
  const text = readIfThere(file);
  const stored = text === null ? null : (JSON.parse(text) as State);
  const secret = stored?.secret ?? `whsec_${randomBytes(32).toString("base64")}`;
  const after = input.number("after", 0) ?? stored?.after ?? null;
  await writeState(file, { secret, after });
  output.note(`Events go to ${target}, signed with ${secret}`);
  context.resumeBy("The next listen continues after the last event that was answered with 2xx.");
  for await (const { event, position } of followEvents(context, input, after)) {
    const sent = event === null ? null : await deliver(context, target, event, secret);
    // The position is stored before the output: the next listen must not send an event again that was printed as sent.
    await writeState(file, { secret, after: position });
    if (event === null || sent === null) continue;
    output.streamed(
      { sequence: position, id: event.id, type: event.type, ...sent },
      `${position}  ${event.type}  ${event.subject.id}  ${sent.status}`,
    );
  }
};

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
      "The secret that verifies them is created once, and printed at the start. No endpoint uses it. An event",
      "is sent until the program answers 2xx, and the next start continues after the last event.",
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

/** Sends an event until the program answers 2xx: it may be starting again just now. */
async function deliver(
  { output, signal }: Context,
  target: string,
  event: Event,
  secret: string,
): Promise<{ readonly status: number; readonly attempts: number }> {
  const body = JSON.stringify(event);
  let said: string | null = null;
  for (let attempts = 1; ; attempts += 1) {
    const how = await attempt(target, body, {
      ...(await webhooks.sign(body, secret, { id: event.id })),
      "slipway-attempt": String(attempts),
    });
    signal.throwIfAborted();
    if (typeof how === "number" && how >= 200 && how < 300) return { status: how, attempts };
    const failure = `${event.sequence}  ${event.type}  ${typeof how === "number" ? `answered ${how}` : how}; it is sent again.`;
    if (failure !== said) output.progress(failure);
    said = failure;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS), undefined, { signal });
  }
}

async function attempt(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | string> {
  try {
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause, message } = error as Error;
    return `was not answered (${cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message})`;
  }
}

/** Events must not leave the organization: they only go to this machine. */
function checkTarget(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoopback(url.hostname))
    throw new UsageError(
      "--forward-to must be an address of this machine, such as http://localhost:3000/hooks.",
      "For other addresses, create a webhook endpoint: slipway webhooks create URL.",
    );
  return url.href;
}

async function stateFile({ client, env }: Context, target: string): Promise<string> {
  const { organization } = await client.me.get();
  const name = createHash("sha256").update(`${client.url} ${organization.id} ${target}`).digest("hex");
  return path.join(stateFolder(env), `listen-${name.slice(0, 16)}.json`);
}

async function writeState(file: string, state: State): Promise<void> {
  await writePrivately(file, `${JSON.stringify(state)}\n`);
}

type StreamedEvent = {
  /** All events up to this number were given, or do not match. */
  readonly position: number;
  readonly event: Event | null;
};

/** @param after the number after which to begin; null: with the next that happens */
async function* followEvents(
  { client }: Context,
  input: Input,
  after: number | null,
): AsyncGenerator<StreamedEvent> {
  const lastEventId = after === null ? undefined : String(after);
  for await (const one of client.events.stream(queryOf(input), { lastEventId }))
    yield { position: Number(one.id), event: one.event === "message" ? one.data : null };
}

const queryOf = (input: Input) => ({ types: input.text("types"), subjectId: input.text("subject") });
