import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import {
  type FindingGroup,
  type FindingSection,
  type FlightcontrolImport,
  groupFindings,
} from "../../../sdk/src/index.ts";
import type { Command, Handler } from "../command.ts";
import { CommandError, EXIT, UsageError } from "../failure.ts";
import { readText } from "../read-text.ts";

/** The server takes no more. A larger file is not sent. */
const LENGTH_MAX = 512 * 1024;
/** The most places of one sentence that are printed without `--all`. */
const PLACES = 8;

const importFlightcontrol: Handler = async (context, input) => {
  const { client, output, stdin } = context;
  const file = input.argument("FILE");
  const flightcontrol = await readText(file, stdin);
  if (flightcontrol.length > LENGTH_MAX)
    throw new UsageError(`${file} is longer than ${LENGTH_MAX.toLocaleString("en")} characters.`);
  const imported = await client.projects.importConfiguration({ flightcontrol });
  const { proposal, isBlocked } = imported;
  const out = input.text("out");
  if (out !== undefined && proposal !== null) {
    const text = `${JSON.stringify(proposal, null, 2)}\n`;
    if (existsSync(out) && readFileSync(out, "utf8") !== text)
      await context.prompt.confirm(`Replace ${out}?`);
    await writeFile(out, text);
  }
  output.data(imported, linesOf(imported, input.isSet("all")));
  if (out !== undefined && proposal !== null) output.progress(`Written: ${out}`);
  else if (proposal !== null) output.progress("To write the configuration, add: --out slipway.json");
  if (!isBlocked) return;
  const count = imported.findings.filter((one) => one.isBlocking).length;
  throw new CommandError(
    proposal === null
      ? "Nothing of the file can be imported."
      : `${count} ${count === 1 ? "field needs" : "fields need"} a change before the configuration works.`,
    {
      code: "IMPORT_BLOCKED",
      exitCode: EXIT.ENDED_BADLY,
      hint: "See “Blocking” above. Change the proposed slipway.json, or the file, and import it again.",
    },
  );
};

const TITLES: Readonly<Record<FindingSection["kind"], string>> = {
  blocking: "Blocking",
  unsupported: "Not supported",
  mappedWithChange: "Changed",
  ignoredSafely: "Not needed",
  mapped: "Copied",
};

/** Fields that need no person are only counted without `isAll`. */
function linesOf({ findings, secrets, aliases }: FlightcontrolImport, isAll: boolean): readonly string[] {
  const sections = groupFindings(findings).flatMap(({ kind, count, groups }) => {
    const isShort = !isAll && (kind === "ignoredSafely" || kind === "mapped");
    return [
      `${TITLES[kind]}: ${count}${isShort ? " (--all lists them)" : ""}`,
      ...(isShort ? [] : groups.flatMap((group) => linesOfGroup(group, isAll))),
      "",
    ];
  });
  const moved = secrets.map(({ environment, service, name }) => {
    const scope = [environment ?? "all environments", ...(service === null ? [] : [service])].join("/");
    return `  ${scope} ${name}`;
  });
  return [
    ...sections,
    ...(moved.length === 0
      ? []
      : [`Secrets to move, whose values are not copied: ${moved.length}`, ...moved, ""]),
    "Variables that Flightcontrol sets:",
    ...aliases.map(({ name, says }) => `  ${name}: ${says}`),
  ];
}

function linesOfGroup({ reason, action, places }: FindingGroup, isAll: boolean): readonly string[] {
  const shown = isAll ? places : places.slice(0, PLACES);
  const more = places.length - shown.length;
  return [
    `  ${shown.join(", ")}${more === 0 ? "" : `, and ${more} more`}`,
    `    ${[reason, action].filter((one) => one !== null).join(" ")}`,
  ];
}

export const FLIGHTCONTROL: readonly Command[] = [
  {
    words: "import flightcontrol",
    says: "Propose a slipway.json for a flightcontrol.json",
    more: [
      "Prints what becomes of each field. Nothing is stored, and values that look like secrets are in no output: set them",
      "with slipway env set. The exit code is 3 if a field prevents the services from working as before.",
    ],
    arguments: [{ name: "FILE", says: "the flightcontrol.json; - for standard input" }],
    flags: [
      { name: "out", value: "FILE", says: "write the proposed configuration, such as slipway.json" },
      { name: "all", says: "also list the fields that need nothing" },
    ],
    examples: [
      "slipway import flightcontrol flightcontrol.json",
      "slipway import flightcontrol flightcontrol.json --out slipway.json",
    ],
    run: importFlightcontrol,
  },
];
