/** Scripts that complete commands and flags in a shell, from the table. They start no program while a user types. */
import { type Command, type Flag, GLOBAL_FLAGS } from "./command.ts";
import { COMMANDS, GROUPS, groupOf } from "./table.ts";

export type Shell = "bash" | "zsh" | "fish";

export function completionFor(shell: Shell): string {
  if (shell === "fish") return fish();
  return shell === "bash" ? bash() : `autoload -U +X bashcompinit && bashcompinit\n${bash()}`;
}

const flagsOf = (command: Command): readonly Flag[] => [...(command.flags ?? []), ...GLOBAL_FLAGS];
const firstWords = (): readonly string[] => [...new Set(COMMANDS.map(groupOf))];
const secondWords = (group: string): readonly string[] =>
  COMMANDS.filter((command) => groupOf(command) === group).flatMap(({ words }) => words.split(" ").slice(1));

/** zsh runs it too, by its `bashcompinit`. */
function bash(): string {
  const groups = GROUPS.map(({ word }) => `    ${word}) words="${secondWords(word).join(" ")}" ;;`);
  const commands = COMMANDS.map((command) => {
    const names = flagsOf(command).map(({ name }) => `--${name}`);
    const choices = (command.arguments ?? []).flatMap(({ choices }) => choices ?? []);
    return `    "${command.words}") words="${[...choices, ...names].join(" ")}" ;;`;
  });
  const values = COMMANDS.flatMap((command) =>
    (command.flags ?? []).flatMap(({ name, choices }) =>
      choices === undefined ? [] : [`    "${command.words} --${name}") words="${choices.join(" ")}" ;;`],
    ),
  );
  return `_slipway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local command="\${COMP_WORDS[1]}"
  case "$command" in
    ${GROUPS.map(({ word }) => word).join("|")}) [ "$COMP_CWORD" -gt 2 ] && command="$command \${COMP_WORDS[2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstWords().join(" ")} help --version"
  else case "$command" in
${[...groups, ...commands].join("\n")}
  esac; fi
  case "$command $before" in
${values.join("\n")}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _slipway slipway
`;
}

function fish(): string {
  const lines = ["complete -c slipway -f"];
  const singles = COMMANDS.filter(({ words }) => !words.includes(" "));
  for (const [word, says] of [
    ...singles.map(({ words, says }) => [words, says] as const),
    ...GROUPS.map(({ word, says }) => [word, says] as const),
  ])
    lines.push(`complete -c slipway -n __fish_use_subcommand -a ${word} -d ${quote(says)}`);
  for (const command of COMMANDS) {
    const [first = "", second] = command.words.split(" ");
    const isUsed = `__fish_seen_subcommand_from ${first}`;
    if (second !== undefined) {
      const isFree = `${isUsed}; and not __fish_seen_subcommand_from ${secondWords(first).join(" ")}`;
      lines.push(`complete -c slipway -n ${quote(isFree)} -a ${second} -d ${quote(command.says)}`);
    }
    const here = second === undefined ? isUsed : `${isUsed}; and __fish_seen_subcommand_from ${second}`;
    for (const { choices } of command.arguments ?? [])
      if (choices !== undefined)
        lines.push(`complete -c slipway -n ${quote(here)} -a ${quote(choices.join(" "))}`);
    for (const { name, short, value, choices, says } of command.flags ?? [])
      lines.push(
        [
          `complete -c slipway -n ${quote(here)} -l ${name}`,
          ...(short === undefined ? [] : [`-s ${short}`]),
          ...(value === undefined
            ? []
            : [choices === undefined ? "-r -F" : `-x -a ${quote(choices.join(" "))}`]),
          `-d ${quote(says)}`,
        ].join(" "),
      );
  }
  for (const { name, short, value, says } of GLOBAL_FLAGS)
    lines.push(
      `complete -c slipway -l ${name}${short === undefined ? "" : ` -s ${short}`}${value === undefined ? "" : " -x"} -d ${quote(says)}`,
    );
  return `${lines.join("\n")}\n`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
