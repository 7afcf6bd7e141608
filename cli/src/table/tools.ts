import type { Command } from "./command.ts";

export const TOOLS: readonly Command[] = [
  {
    words: "api",
    says: "Send any request to the API, and print the body of the answer",
    arguments: [
      { name: "METHOD", says: "the method", choices: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
      { name: "PATH", says: "a path of the server, such as /v1/me" },
    ],
    flags: [
      { name: "body", short: "d", value: "JSON", says: "the body; - reads it from standard input" },
      { name: "header", value: "NAME: VALUE", many: true, says: "a header" },
    ],
    examples: ["slipway api GET '/v1/domains?limit=5'", "slipway api POST /v1/users --body - < user.json"],
    load: async () => (await import("../commands/tools.ts")).callApi,
  },
  {
    words: "completion",
    says: "Print a script that completes commands and flags in your shell",
    arguments: [{ name: "SHELL", says: "your shell", choices: ["bash", "zsh", "fish"] }],
    examples: [
      "source <(slipway completion bash)",
      "slipway completion fish > ~/.config/fish/completions/slipway.fish",
    ],
    load: async () => (await import("../commands/tools.ts")).printCompletion,
  },
  {
    words: "commands",
    says: "List all commands; with --json, with their arguments and flags",
    examples: ["slipway commands --json"],
    load: async () => (await import("../commands/tools.ts")).listCommands,
  },
];
