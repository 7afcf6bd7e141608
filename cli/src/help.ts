/** Help, from the table. */
import {
  type Argument,
  type Command,
  examplesOf,
  firstWords,
  type Flag,
  GLOBAL_FLAGS,
  groupOf,
  type Table,
} from "./command.ts";

const ABOUT = "Slipway: custom domains, variables and deployments in your own cloud account.";
type Row = readonly [left: string, right: string];

/** @param operator the operator's commands, if the server is here */
export function helpOfAll(users: Table, operator: Table | null): string {
  const sections = [
    "Usage: slipway COMMAND [arguments] [flags]",
    ABOUT,
    `Commands:\n${columns(firstWords(users))}`,
    ...(operator === null
      ? []
      : [`Operator's commands, for the server and its data:\n${columns(firstWords(operator))}`]),
    `Flags of every command:\n${columns(GLOBAL_FLAGS.map(rowOfFlag))}`,
    "slipway COMMAND --help explains a command. Begin with: slipway login",
  ];
  return `${sections.join("\n\n")}\n`;
}

export function helpOfGroup({ commands, groups }: Table, word: string): string {
  const says = groups.filter((group) => group.word === word).map((group) => `${group.says}.`);
  const rows = commands
    .filter((command) => groupOf(command) === word)
    .map((command): Row => [usageOf(command).slice("slipway ".length), command.says]);
  return `Usage: slipway ${word} COMMAND [arguments] [flags]\n\n${says.join(" ")}\n\nCommands:\n${columns(rows)}\n`;
}

export function helpOfCommand(command: Command): string {
  const { says, more, flags = [] } = command;
  const rows = (command.arguments ?? []).map((one): Row => [one.name, saysWithChoices(one)]);
  const sections = [
    `Usage: ${usageOf(command)} [flags]`,
    `${says}.`,
    ...(more === undefined ? [] : [more.join("\n")]),
    ...(rows.length === 0 ? [] : [`Arguments:\n${columns(rows)}`]),
    ...(flags.length === 0 ? [] : [`Flags:\n${columns(flags.map(rowOfFlag))}`]),
    ...("operate" in command
      ? []
      : [`Flags of every command:\n  ${GLOBAL_FLAGS.map(({ name }) => `--${name}`).join(" ")}`]),
    `Examples:\n${examplesOf(command)
      .map((line) => `  ${line}`)
      .join("\n")}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** `slipway domains add NAME...` */
export function usageOf({ words, arguments: expected = [], flags = [] }: Command): string {
  const required = flags.filter((flag) => flag.required === true);
  return ["slipway", words, ...expected.map(placeOf), ...required.map(signOf)].join(" ");
}

function placeOf({ name, optional, many }: Argument): string {
  const place = many === true ? `${name}...` : name;
  return optional === true ? `[${place}]` : place;
}

/** What it is, with the values it takes unless the sentence names them. A place says itself that it takes several. */
export function saysWithChoices(one: Argument | Flag): string {
  const { says, choices, many } = one;
  const isNamed = choices === undefined || choices.every((choice) => says.includes(choice));
  const all = isNamed ? says : `${says}: ${choices.join(", ")}`;
  return many === true && "value" in one ? `${all}; repeat it for several` : all;
}

/** `-p, --project PROJECT` */
export function signOf({ name, short, value }: Flag): string {
  const sign = `${short === undefined ? "" : `-${short}, `}--${name}`;
  return value === undefined ? sign : `${sign} ${value}`;
}

const rowOfFlag = (flag: Flag): Row => [signOf(flag), saysWithChoices(flag)];

function columns(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
