/** Help, from the table. */
import { type Argument, type Command, type Flag, GLOBAL_FLAGS } from "./command.ts";
import { COMMANDS, GROUPS, groupOf } from "./table.ts";

const ABOUT = "Slipway: custom domains, variables and deployments in your own cloud account.";

/** @param operator commands of the server's own program, if it is here */
export function helpOfAll(operator: readonly (readonly [words: string, says: string])[]): string {
  // The server's own program has another `doctor`, which stands for this one there.
  const singles = COMMANDS.filter(
    ({ words }) => !words.includes(" ") && !operator.some(([other]) => other === words),
  );
  const session = singles.filter(({ words }) =>
    ["login", "logout", "whoami", "link", "doctor"].includes(words),
  );
  const others = singles.filter((command) => !session.includes(command));
  const groups = GROUPS.map(({ word, says }) => [word, says] as const);
  const rows = [
    ...session.map(({ words, says }) => [words, says] as const),
    ...groups,
    ...others.map(({ words, says }) => [words, says] as const),
  ];
  return [
    "Usage: slipway COMMAND [arguments] [flags]",
    ABOUT,
    `Commands:\n${columns(rows)}`,
    ...(operator.length === 0
      ? []
      : [`Operator's commands, for the server and its data:\n${columns(operator)}`]),
    `Flags of every command:\n${columns(GLOBAL_FLAGS.map(rowOfFlag))}`,
    "slipway COMMAND --help explains a command. Begin with: slipway login",
  ]
    .join("\n\n")
    .concat("\n");
}

export function helpOfGroup(word: string): string {
  const says = GROUPS.find((group) => group.word === word)?.says ?? "";
  const rows = COMMANDS.filter((command) => groupOf(command) === word).map(
    (command) => [usageOf(command).slice("slipway ".length), command.says] as const,
  );
  return `Usage: slipway ${word} COMMAND [arguments] [flags]\n\n${says}.\n\nCommands:\n${columns(rows)}\n`;
}

export function helpOfCommand(command: Command): string {
  const { says, more, examples } = command;
  const sections = [`Usage: ${usageOf(command)} [flags]`, `${says}.`];
  if (more !== undefined) sections.push(more.join("\n"));
  const rows = (command.arguments ?? []).map(
    (argument) => [argument.name, saysWithChoices(argument)] as const,
  );
  if (rows.length > 0) sections.push(`Arguments:\n${columns(rows)}`);
  if (command.flags !== undefined) sections.push(`Flags:\n${columns(command.flags.map(rowOfFlag))}`);
  sections.push(
    `Flags of every command:\n  ${GLOBAL_FLAGS.map(({ name }) => `--${name}`).join(" ")}`,
    `Examples:\n${examples.map((line) => `  ${line}`).join("\n")}`,
  );
  return `${sections.join("\n\n")}\n`;
}

/** `slipway domains add NAME...` */
export function usageOf({ words, arguments: wanted }: Command): string {
  return ["slipway", words, ...(wanted ?? []).map(placeOf)].join(" ");
}

function placeOf({ name, optional, many }: Argument): string {
  const place = many === true ? `${name}...` : name;
  return optional === true ? `[${place}]` : place;
}

/** What it is, with the values it takes unless the sentence names them. */
export function saysWithChoices({ says, choices }: Argument | Flag): string {
  const isTold = choices === undefined || choices.every((choice) => says.includes(choice));
  return isTold ? says : `${says}: ${choices.join(", ")}`;
}

/** `-p, --project PROJECT` */
export function signOf({ name, short, value }: Flag): string {
  const sign = `${short === undefined ? "" : `-${short}, `}--${name}`;
  return value === undefined ? sign : `${sign} ${value}`;
}

const rowOfFlag = (flag: Flag): readonly [string, string] => [signOf(flag), saysWithChoices(flag)];

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
