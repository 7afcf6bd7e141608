import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Event, webhooks } from "../../../sdk/src/index.ts";
import type { Handler, Input } from "../command.ts";
import { isLoopback } from "../connection.ts";
import type { Context } from "../context.ts";
import { readIfThere, stateFolder, writePrivately } from "../credentials.ts";
import { UsageError } from "../failure.ts";

/** As a webhook's receiver has. */
const ANSWER_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** What stays between two starts: for each server and address of this machine. */
type State = { readonly secret: string; readonly after: number | null };

export const listen: Handler = async (context, input) => {
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
      "For others there are webhooks: slipway webhooks create URL.",
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
export async function* followEvents(
  { client }: Context,
  input: Input,
  after: number | null,
): AsyncGenerator<StreamedEvent> {
  const lastEventId = after === null ? undefined : String(after);
  for await (const one of client.events.stream(queryOf(input), { lastEventId }))
    yield { position: Number(one.id), event: one.event === "message" ? one.data : null };
}

export const queryOf = (input: Input) => ({ types: input.text("types"), subjectId: input.text("subject") });
