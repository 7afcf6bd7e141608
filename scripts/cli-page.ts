import { type Command, examplesOf, GLOBAL_FLAGS, groupOf } from "../cli/src/command.ts";
import { EXIT } from "../cli/src/failure.ts";
import { saysWithChoices, signOf, usageOf } from "../cli/src/help.ts";
import { TABLE } from "../cli/src/table.ts";

const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [EXIT.FAILED, "failed"],
  [EXIT.USAGE, "wrong usage: an unknown flag, a missing argument; nothing was sent"],
  [EXIT.ENDED_BADLY, "the awaited operation failed or was superseded"],
  [EXIT.REFUSED, "no key, an invalid key, or a role that does not allow it"],
  [EXIT.NOT_FOUND, "not found"],
  [EXIT.CONFLICT, "in conflict with the present state"],
  [EXIT.UNAVAILABLE, "after retries, the server cannot be reached or is overloaded"],
  [EXIT.PENDING, "still pending at `--timeout`; the work continues"],
  [EXIT.INTERRUPTED, "interrupted with Ctrl-C; the work continues, except the command of `slipway run`"],
];

/** `docs/reference/cli.md`, which `npm run docs:cli` writes. */
export function renderCommandPage(): string {
  const { commands, groups } = TABLE;
  const singles = commands.filter(({ words }) => !words.includes(" "));
  return `# Command line

\`slipway\` uses the API from a terminal or a script. \`slipway COMMAND --help\` shows the same text as this page, and
\`slipway commands --json\` is for programs. Commands for operators, such as \`slipway start\`, are on
[a page of their own](operator-commands.md). \`npm run docs:cli\` writes this page from \`cli/src/table.ts\`.

In a checkout of Slipway, run \`node bin/slipway.js COMMAND\`. Elsewhere, install the package \`@slipway/cli\`, which needs
Node 20 or later.

**Output.** Standard output has only the data, in the same form for a terminal, a pipe and a file: tables and lines, or
with \`--json\` one JSON document as the API shows it (commands that stream print one line of JSON for each item).
Progress and errors go to standard error: lines of text, or with \`--json\` lines of JSON. Terminal control characters are
removed from text.

**Server and key.** The server is the first of: \`--url\`, \`--profile\`, \`SLIPWAY_URL\`, the linked project
(\`slipway link\`), the current profile. The key is the first of: \`--profile\`, \`SLIPWAY_TOKEN\`, the key stored for that
server. A stored key is sent only to the server it was stored for, and \`SLIPWAY_TOKEN\` never to a server that only a
link names. Keys are in \`$XDG_CONFIG_HOME/slipway/credentials.json\` (\`~/.config/slipway\`), which only you can
read. \`slipway whoami\` shows the source of both.

**In CI**, \`SLIPWAY_WORKLOAD_TRUST\` replaces \`SLIPWAY_TOKEN\`: the job exchanges a token of GitHub Actions, or
the token in \`SLIPWAY_ID_TOKEN\`, for a token of Slipway ([deploy from CI](../how-to/deploy-from-ci.md)).

**Proxies.** \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` name the proxy, and the hosts that are reached without it.
This machine is always reached without it. Proxies need Node 24.14 or later.

**Projects.** \`-p\`, \`-e\` and \`-s\` take names or ids. Without them, commands use the linked project, or the only one.

**Exit codes.**

| code | meaning |
|---|---|
${EXIT_CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`).join("\n")}

**Flags of every command.**

| flag | meaning |
|---|---|
${GLOBAL_FLAGS.map((flag) => `| \`${signOf(flag)}\` | ${saysWithChoices(flag)} |`).join("\n")}

${singles.map((command) => renderCommand(command, "##")).join("\n")}
${groups.map(({ word, says }) => renderGroup(word, says)).join("\n")}`;
}

function renderGroup(word: string, says: string): string {
  const commands = TABLE.commands.filter((command) => groupOf(command) === word);
  return `## ${word}\n\n${says}.\n\n${commands.map((command) => renderCommand(command, "###")).join("\n")}`;
}

function renderCommand(command: Command, level: string): string {
  const rows = [
    ...(command.arguments ?? []).map((argument) => [argument.name, saysWithChoices(argument)] as const),
    ...(command.flags ?? []).map((flag) => [signOf(flag), saysWithChoices(flag)] as const),
  ].map(([sign, says]) => `| \`${sign}\` | ${says.replaceAll("|", "\\|")} |`);
  const parts = [
    `${level} ${command.words}`,
    `${command.says}.`,
    ...(command.more === undefined ? [] : [command.more.join("\n")]),
    `\`\`\`text\n${usageOf(command)} [flags]\n\n${examplesOf(command).join("\n")}\n\`\`\``,
    ...(rows.length === 0 ? [] : [["| argument or flag | meaning |", "|---|---|", ...rows].join("\n")]),
  ];
  return `${parts.join("\n\n")}\n`;
}
