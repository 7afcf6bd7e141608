import { type Command, examplesOf, GLOBAL_FLAGS, groupOf } from "../cli/src/command.ts";
import { EXIT } from "../cli/src/failure.ts";
import { saysWithChoices, signOf, usageOf } from "../cli/src/help.ts";
import { TABLE } from "../cli/src/table.ts";

const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [EXIT.FAILED, "failed"],
  [EXIT.USAGE, "wrong usage: an unknown flag, a missing argument; nothing was sent"],
  [EXIT.ENDED_BADLY, "the awaited operation failed or was superseded"],
  [EXIT.REFUSED, "no key, a key that is refused, or a role that may not do it"],
  [EXIT.NOT_FOUND, "not found"],
  [EXIT.CONFLICT, "in conflict with the present state"],
  [EXIT.UNAVAILABLE, "the server cannot be reached, or had no time for the request, after retries"],
  [EXIT.PENDING, "still pending at `--timeout`; the work continues"],
  [EXIT.INTERRUPTED, "interrupted with Ctrl-C; the work continues"],
];

/** `docs/reference/cli.md`, which `npm run docs:cli` writes. */
export function renderCommandPage(): string {
  const { commands, groups } = TABLE;
  const singles = commands.filter(({ words }) => !words.includes(" "));
  return `# Command line

\`slipway\` does what the API does, from a terminal or a script. Made by \`npm run docs:cli\` from the table of commands
in \`cli/src/table\`; \`slipway COMMAND --help\` shows the same, and \`slipway commands --json\` for programs. The commands
for operators, such as \`slipway start\`, are on [a page of their own](operator-commands.md).

From a checkout it is \`node bin/slipway.js COMMAND\`; on its own, the package \`@slipway/cli\` needs Node 20 and no
server.

**Output.** Standard output has only the data, in the same form for a terminal, a pipe and a file: tables and lines, or
with \`--json\` one JSON document as the API shows it (commands that stream print a line of JSON for each thing).
Progress and failures go to standard error: lines of text, or with \`--json\` lines of JSON. In text, what would control a
terminal is left out.

**Server and key.** The server is that of \`--url\`, else of \`--profile\`, \`SLIPWAY_URL\`, the linked project
(\`slipway link\`), the current profile. The key is that of \`--profile\`, else \`SLIPWAY_TOKEN\`, else the one stored for
that server. A stored key is only ever sent to the server it was stored for, and \`SLIPWAY_TOKEN\` never to a server that
only a link names. Keys are in \`$XDG_CONFIG_HOME/slipway/credentials.json\` (\`~/.config/slipway\`), which only you can
read. \`slipway whoami\` says where both come from.

**In CI**, \`SLIPWAY_WORKLOAD_TRUST\` stands in place of \`SLIPWAY_TOKEN\`: the job gets its token by what GitHub Actions
signs, or by the token in \`SLIPWAY_ID_TOKEN\` ([deploy from CI](../how-to/deploy-from-ci.md)).

**Proxies.** \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\` name the proxy, and the hosts that are reached without it;
this machine always is. It needs Node 24.14 or later.

**Projects.** \`-p\`, \`-e\` and \`-s\` take names or ids. Without them, commands mean the linked project, or the only one.

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
