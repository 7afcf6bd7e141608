import { readText } from "../input/values.ts";
import { UsageError } from "../output/failure.ts";
import { completionFor, type Shell } from "../table/completion.ts";
import { GLOBAL_FLAGS, type Handler } from "../table/command.ts";
import { COMMANDS } from "../table/table.ts";

export const callApi: Handler = async (context, input) => {
  const { output, signal, stdin } = context;
  const path = input.argument("PATH");
  if (!path.startsWith("/")) throw new UsageError("PATH begins with a slash, such as /v1/me.");
  const given = input.text("body");
  const body =
    given === undefined ? undefined : parseBody(given === "-" ? await readText("-", stdin) : given);
  const headers = Object.fromEntries(input.many("header").map(splitHeader));
  const client = await context.client();
  const answer = await client.request(input.argument("METHOD"), path, { body, headers, signal });
  if (typeof answer === "string") output.raw(answer);
  else if (answer !== undefined) output.raw(`${JSON.stringify(answer, null, 2)}\n`);
};

export const printCompletion: Handler = async ({ output }, input) => {
  output.raw(completionFor(input.argument("SHELL") as Shell));
};

export const listCommands: Handler = async ({ output }) => {
  const commands = COMMANDS.map(({ words, says, arguments: wanted, flags, examples, streams }) => ({
    words,
    says,
    arguments: wanted ?? [],
    flags: flags ?? [],
    examples,
    streams: streams ?? false,
  }));
  output.data(
    { commands, flags: GLOBAL_FLAGS },
    commands.map(({ words, says }) => `${words.padEnd(22)}  ${says}`),
  );
};

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The body is not JSON: ${(error as Error).message}`);
  }
}

export function splitHeader(text: string): readonly [string, string] {
  const at = text.indexOf(":");
  if (at < 1) throw new UsageError(`A header is NAME: VALUE, not "${text}".`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
