/** Scripts that complete commands and flags in a shell, from the table. They start no program while a user types. */
import { type Command, firstWords, flagsOf, groupOf, type Table } from "./command.ts";

export type Shell = "bash" | "zsh" | "fish";

export function completionFor(shell: Shell, table: Table): string {
  if (shell === "fish") return fish(table);
  return shell === "bash" ? bash(table) : `autoload -U +X bashcompinit && bashcompinit\n${bash(table)}`;
}

const secondWords = ({ commands }: Table, group: string): readonly string[] =>
  commands.filter((command) => groupOf(command) === group).flatMap(({ words }) => words.split(" ").slice(1));
const choicesOf = (command: Command): readonly string[] =>
  (command.arguments ?? []).flatMap(({ choices }) => choices ?? []);

/** zsh runs it too, by its `bashcompinit`. */
function bash(table: Table): string {
  const first = firstWords(table).map(([word]) => word);
  const groups = first.filter((word) => secondWords(table, word).length > 0);
  const selectors = new Set([...groups, ...table.commands.map(({ words }) => words)]);
  const cases = [...selectors].map((selector) => {
    const own = table.commands.filter(({ words }) => words === selector);
    const flags = own.flatMap(flagsOf).map(({ name }) => `--${name}`);
    const words = [...secondWords(table, selector), ...own.flatMap(choicesOf), ...flags];
    return `    "${selector}") words="${words.join(" ")}" ;;`;
  });
  const values = table.commands.flatMap(({ words, flags = [] }) =>
    flags.flatMap(({ name, choices }) =>
      choices === undefined ? [] : [`    "${words} --${name}") words="${choices.join(" ")}" ;;`],
    ),
  );
  return `_slipway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local command="\${COMP_WORDS[1]}"
  case "$command" in
    ${groups.join("|")}) [ "$COMP_CWORD" -gt 2 ] && command="$command \${COMP_WORDS[2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${first.join(" ")} help --version"
  else case "$command" in
${cases.join("\n")}
  esac; fi
  case "$command $before" in
${values.join("\n")}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _slipway slipway
`;
}

function fish(table: Table): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = firstWords(table).map(
    ([word, says]) => `-n __fish_use_subcommand -a ${word} -d ${quote(says)}`,
  );
  for (const command of table.commands) {
    const [first = "", second] = command.words.split(" ");
    const isUsed = `__fish_seen_subcommand_from ${first}`;
    const here = second === undefined ? isUsed : `${isUsed}; and __fish_seen_subcommand_from ${second}`;
    if (second !== undefined) {
      const isFree = `${isUsed}; and not __fish_seen_subcommand_from ${secondWords(table, first).join(" ")}`;
      lines.push(`-n ${quote(isFree)} -a ${second} -d ${quote(command.says)}`);
    }
    const choices = choicesOf(command);
    if (choices.length > 0) lines.push(`-n ${quote(here)} -a ${quote(choices.join(" "))}`);
    for (const { name, short, value, choices, says } of flagsOf(command)) {
      const sign = `-l ${name}${short === undefined ? "" : ` -s ${short}`}`;
      const taken = choices === undefined ? " -r -F" : ` -x -a ${quote(choices.join(" "))}`;
      lines.push(`-n ${quote(here)} ${sign}${value === undefined ? "" : taken} -d ${quote(says)}`);
    }
  }
  return ["-f", ...lines].map((line) => `complete -c slipway ${line}\n`).join("");
}
