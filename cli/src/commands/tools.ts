import { type Command, examplesOf, GLOBAL_FLAGS } from "../command.ts";
import { completionFor, type Shell } from "../completion.ts";
import { UsageError } from "../failure.ts";
import { readText } from "../read-text.ts";

export const TOOLS: readonly Command[] = [
  {
    words: "api",
    says: "Send any request to the API, and print the body of the response",
    arguments: [
      { name: "METHOD", says: "the method", choices: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
      { name: "PATH", says: "a path of the server, such as /v1/me" },
    ],
    flags: [
      { name: "body", short: "d", value: "JSON", says: "the body; - reads it from standard input" },
      { name: "header", value: "NAME: VALUE", many: true, says: "a header" },
    ],
    examples: ["slipway api GET '/v1/domains?limit=5'", "slipway api POST /v1/users --body - < user.json"],
    async run(context, input) {
      const { output, stdin } = context;
      const path = input.argument("PATH");
      if (!path.startsWith("/")) throw new UsageError("PATH begins with a slash, such as /v1/me.");
      const given = input.text("body");
      const text = given === "-" ? await readText("-", stdin) : given;
      const body = text === undefined ? undefined : parseBody(text);
      const headers = Object.fromEntries(input.many("header").map(splitHeader));
      const answer = await context.client.request(input.argument("METHOD"), path, { body, headers });
      if (typeof answer === "string") output.raw(answer);
      else if (answer !== undefined) output.raw(`${JSON.stringify(answer, null, 2)}\n`);
    },
  },
  {
    words: "completion",
    says: "Print a script that completes commands and flags in your shell",
    arguments: [{ name: "SHELL", says: "your shell", choices: ["bash", "zsh", "fish"] }],
    examples: [
      "source <(slipway completion bash)",
      "slipway completion fish > ~/.config/fish/completions/slipway.fish",
    ],
    run: async ({ output }, input, table) =>
      output.raw(completionFor(input.argument("SHELL") as Shell, table)),
  },
  {
    words: "commands",
    says: "List all commands; with --json, with their arguments and flags",
    examples: ["slipway commands --json"],
    async run({ output }, _input, table) {
      const commands = table.commands.map((command) => ({
        words: command.words,
        says: command.says,
        arguments: command.arguments ?? [],
        flags: command.flags ?? [],
        examples: examplesOf(command),
        streams: command.streams ?? false,
      }));
      output.data(
        { commands, flags: GLOBAL_FLAGS },
        commands.map(({ words, says }) => `${words.padEnd(22)}  ${says}`),
      );
    },
  },
];

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
