/** How a service is built and started. Pure. */
import {
  chain,
  type Command,
  findInstall,
  findLanguage,
  readCommand,
  readFolder,
  readPlace,
} from "./command-lines.ts";
import { COMMAND_LENGTH_MAX, COMMAND_WORDS_MAX } from "../projects/service-settings.ts";
import type { Command as WrittenCommand } from "../../cloud/platform.ts";
import { member } from "../../lib/json/is-object.ts";
import { decideDockerfile } from "./decide-dockerfile.ts";
import {
  blocking,
  changed,
  ignored,
  type ImportCloud,
  type ImportedType,
  mapped,
  missing,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

/** The fields that belong together. A field that the file does not have may get a verdict too. */
export const BUILD_FIELDS = [
  "buildType",
  "basePath",
  "installCommand",
  "buildCommand",
  "postBuildCommand",
  "startCommand",
  "dockerfilePath",
  "dockerContext",
  "containerImage",
  "outputDirectory",
] as const;
type BuildField = (typeof BUILD_FIELDS)[number];

export type Build = {
  readonly settings: {
    readonly basePath?: string;
    readonly dockerfilePath?: string;
    readonly dockerContext?: string;
    readonly installCommand?: string;
    readonly buildCommand?: string;
    readonly startCommand?: WrittenCommand;
    readonly outputDirectory?: string;
  };
  readonly verdicts: ReadonlyMap<string, Verdict>;
};

const STEPS = ["installCommand", "buildCommand", "postBuildCommand"] as const;
/** What a Dockerfile sees, and where Slipway looks for it. */
const BUILD_FOLDER = "basePath (by default, the root of the repository)";
/** Ends at once and says why. */
const UNKNOWN_START = "echo 'Write the command that starts the service in slipway.json' && exit 1";

const NO_DOCKERFILE = ignored("The service is not built with a Dockerfile, so it has no effect.");

/**
 * @param type the type in the proposal
 * @param linesOfJobs other commands that need the language of the service
 */
export function decideBuild(
  raw: Raw,
  type: ImportedType,
  cloud: ImportCloud,
  linesOfJobs: readonly string[],
): Build {
  const verdicts = new Map<string, Verdict>();
  const say = (field: BuildField, verdict: Verdict): void => void verdicts.set(field, verdict);
  const kind = kindOf(raw);
  const folder = readPlace(raw["basePath"] ?? ".");
  const commands = {
    installCommand: readCommand(raw["installCommand"]),
    buildCommand: readCommand(raw["buildCommand"]),
    postBuildCommand: readCommand(raw["postBuildCommand"]),
    startCommand: readCommand(raw["startCommand"]),
  };
  const own = Object.values(commands).flatMap((one) => (one.kind === "command" ? [one.line] : []));
  const lines = [...own, ...linesOfJobs];

  say("buildType", judgeKind(kind, type, lines, raw, cloud));
  say("containerImage", judgeImage(kind));
  say("basePath", judgeFolder(raw["basePath"], folder, kind));
  const docker = kind === "docker" && type !== "static" ? decideDockerfile(raw, cloud) : null;
  say("dockerfilePath", docker?.dockerfilePath ?? NO_DOCKERFILE);
  say("dockerContext", docker?.dockerContext ?? NO_DOCKERFILE);

  const steps = kind === "nixpacks" ? decideSteps(commands, lines) : NO_STEPS;
  for (const step of STEPS) say(step, judgeStep(step, commands[step], kind, steps));
  const built = {
    ...(kind === "docker" || folder === null || folder === "." ? {} : { basePath: folder }),
    ...docker?.settings,
    ...steps.settings,
  };
  if (type === "static") {
    const output = readFolder(raw["outputDirectory"] ?? "public");
    say("outputDirectory", judgeOutput(raw, output));
    return { settings: { ...built, outputDirectory: output ?? "." }, verdicts };
  }
  if (type === "scheduler") {
    say("startCommand", ignored("A scheduler starts no process: its jobs have commands."));
    return { settings: built, verdicts };
  }
  const start = decideStart(commands.startCommand, kind);
  say("startCommand", start.verdict);
  return { settings: { ...built, startCommand: start.command }, verdicts };
}

type Kind = "nixpacks" | "docker" | "image" | "unknown";

/** Older files have no `buildType`: they have a Dockerfile's path, or are built with Node.js. */
function kindOf(raw: Raw): Kind {
  switch (raw["buildType"]) {
    case undefined:
      return raw["dockerfilePath"] !== undefined
        ? "docker"
        : raw["containerImage"] === undefined
          ? "nixpacks"
          : "image";
    case "nodejs":
    case "nixpacks":
      return "nixpacks";
    case "docker":
      return "docker";
    case "fromService":
    case "fromRepository":
      return "image";
    default:
      return "unknown";
  }
}

function judgeKind(
  kind: Kind,
  type: string,
  lines: readonly string[],
  raw: Raw,
  { runsImages }: ImportCloud,
): Verdict {
  if (kind === "unknown") return wrongForm("a kind of build that Flightcontrol has");
  if (kind === "image" && (raw["buildType"] === "fromService" || isOfService(raw["containerImage"])))
    return blocking(
      "Slipway builds each service, and does not run the image of another one.",
      "Copy the settings of that service's build to this one.",
    );
  if (kind === "image")
    return runsImages && type !== "static"
      ? blocking(
          "The file does not contain the address of the registry.",
          "Set image in the proposal to this address, with repository and tag of containerImage behind it, and remove startCommand if the image has a command of its own.",
        )
      : blocking(
          "Slipway builds these services from the repository, and does not run an image of a registry.",
          `Add a Dockerfile that begins with FROM and this image to ${BUILD_FOLDER}.`,
        );
  if (kind === "docker")
    return type === "static"
      ? blocking(
          "Slipway does not build a static site with a Dockerfile.",
          "Set buildCommand to the commands that the Dockerfile runs.",
        )
      : changed(
          `On AWS, Slipway builds the Dockerfile in ${BUILD_FOLDER}. The sandbox does not build Dockerfiles.`,
          "Declare each variable that the build reads in the Dockerfile: ARG NAME.",
        );
  const language = type === "static" ? null : findLanguage(lines);
  return language === null
    ? changed(
        `Slipway does not use Nixpacks: it runs buildCommand with Node.js, or builds the Dockerfile in ${BUILD_FOLDER}.`,
        "Check the commands of the service in the proposal.",
      )
    : blocking(
        `The commands need ${language}, and without a Dockerfile Slipway builds on Node.js only.`,
        `Add a Dockerfile to ${BUILD_FOLDER}, or deploy to an own server that has these programs.`,
      );
}

function isOfService(image: unknown): boolean {
  return member(image, "fromService") !== undefined;
}

function judgeImage(kind: Kind): Verdict {
  return kind === "image"
    ? missing("It names the image instead of a build: see buildType.")
    : ignored("The service is built from the repository, so it has no effect.");
}

function judgeFolder(value: unknown, folder: string | null, kind: Kind): Verdict {
  if (folder === null) return wrongForm("a folder of the repository");
  if (folder === ".") return ignored("It is the root of the repository, which is the default.");
  return kind === "docker"
    ? blocking(
        "With basePath, Slipway builds a Dockerfile of that folder, which sees only the files there.",
        "Set basePath in the proposal, and write dockerfilePath from there. If the Dockerfile needs other files, set dockerContext to the folder that has them all.",
      )
    : folder === value
      ? mapped()
      : changed(`It is written as ${folder}.`);
}

type Steps = {
  readonly settings: { readonly installCommand?: string; readonly buildCommand?: string };
  /** Additions to a step, in sentences. */
  readonly notes: Readonly<Partial<Record<(typeof STEPS)[number], string>>>;
  /** Whether what follows the installation is too long together. */
  readonly isTooLong: boolean;
};
const NO_STEPS: Steps = { settings: {}, notes: {}, isTooLong: false };

/** `postBuildCommand` is the end of `buildCommand`. */
function decideSteps(
  { installCommand, buildCommand, postBuildCommand }: Readonly<Record<(typeof STEPS)[number], Command>>,
  lines: readonly string[],
): Steps {
  const lineOf = (command: Command): readonly string[] => (command.kind === "command" ? [command.line] : []);
  const isNode = findLanguage(lines) === null;
  const added = installCommand.kind === "none" && isNode ? findInstall(lines) : null;
  const install = added ?? lineOf(installCommand)[0];
  const isBuilt = buildCommand.kind !== "none" || !isNode;
  const after = lineOf(postBuildCommand);
  const rest = [...(isBuilt ? lineOf(buildCommand) : ["npm run build --if-present"]), ...after];
  const build = chain(rest);
  const isTooLong = build.length > COMMAND_LENGTH_MAX;
  return {
    settings: {
      ...(install === undefined ? {} : { installCommand: install }),
      ...(rest.length === 0 || isTooLong ? {} : { buildCommand: build }),
    },
    notes: {
      ...(added === null
        ? {}
        : { installCommand: `“${added}” is added, because Slipway runs only what the command says.` }),
      ...(isBuilt
        ? after.length > 0
          ? { buildCommand: "postBuildCommand is its end." }
          : {}
        : { buildCommand: "“npm run build --if-present” is added, which Nixpacks runs without a command." }),
      ...(after.length > 0 ? { postBuildCommand: "It is the end of buildCommand." } : {}),
    },
    isTooLong,
  };
}

/** A command before or after a release. @returns `command` null for none in the proposal */
export function decideHook(value: unknown): Hook {
  const command = readCommand(value);
  const refused = refusalOf(command);
  if (refused !== null) return { command: null, verdict: refused };
  if (command.kind !== "command") return { command: null, verdict: ignored("It is empty.") };
  const { line, words, changes } = command;
  return { command: words ?? line, verdict: judgeChanges(changes) };
}

/** A command as a line for the shell. @returns `line` null for none in the proposal */
export function decideLine(value: unknown): { readonly line: string | null; readonly verdict: Verdict } {
  const command = readCommand(value);
  if (command.kind !== "command")
    return { line: null, verdict: refusalOf(command) ?? wrongForm("a command") };
  return { line: command.line, verdict: judgeLine(command, []) };
}

export type Hook = { readonly command: WrittenCommand | null; readonly verdict: Verdict };

function judgeStep(
  step: (typeof STEPS)[number],
  command: Command,
  kind: Kind,
  { notes, isTooLong }: Steps,
): Verdict {
  const refused = refusalOf(command);
  if (refused !== null) return refused;
  if (kind === "docker") return ignored("The Dockerfile builds the service.");
  if (kind !== "nixpacks") return missing("The service is not built from the repository: see buildType.");
  const note = notes[step];
  if (command.kind !== "command")
    return note === undefined ? ignored("It is empty.") : changed(note, "Check the command.");
  if (isTooLong && step !== "installCommand")
    return blocking(
      `buildCommand and postBuildCommand are longer than ${COMMAND_LENGTH_MAX} characters together.`,
      "Put them into a script of the repository, and run it as buildCommand.",
    );
  return judgeLine(command, note === undefined ? [] : [note]);
}

function judgeLine(
  { words, changes }: Extract<Command, { kind: "command" }>,
  notes: readonly string[],
): Verdict {
  const joined = words === null ? [] : ["The list of words is written as one line."];
  return judgeChanges([...notes, ...joined, ...changes]);
}

function judgeChanges(changes: readonly string[]): Verdict {
  return changes.length === 0 ? mapped() : changed(changes.join(" "));
}

function refusalOf(command: Command): Verdict | null {
  switch (command.kind) {
    case "wrong":
      return wrongForm("a command: text, or a list of texts");
    case "long":
      return blocking(
        `It is longer than ${COMMAND_LENGTH_MAX} characters, or ${COMMAND_WORDS_MAX} words.`,
        "Put it into a script of the repository, and run the script.",
      );
    case "secret":
      return blocking(
        "It contains a text that looks like a secret, so it is not copied.",
        "Set the secret as a variable (slipway env set NAME --store secrets-manager), and write the command with $NAME.",
      );
    default:
      return null;
  }
}

function decideStart(
  command: Command,
  kind: Kind,
): { readonly command: WrittenCommand; readonly verdict: Verdict } {
  const refused = refusalOf(command);
  if (refused !== null) return { command: UNKNOWN_START, verdict: refused };
  if (command.kind === "command") {
    const { line, words, changes } = command;
    return { command: words ?? line, verdict: judgeChanges(changes) };
  }
  if (kind === "nixpacks")
    return {
      command: "npm start",
      verdict: changed("Nixpacks chooses a command; “npm start” is written.", "Check the command."),
    };
  return {
    command: UNKNOWN_START,
    verdict: blocking(
      "Slipway needs the command that starts the service, and the file leaves it to the image.",
      "Copy the command from CMD or ENTRYPOINT of the Dockerfile to startCommand.",
    ),
  };
}

function judgeOutput(raw: Raw, output: string | null): Verdict {
  if (output === null) return wrongForm("a folder of the repository");
  if (raw["outputDirectory"] === undefined) return changed("Flightcontrol's default is written: public.");
  return raw["outputDirectory"] === output ? mapped() : changed(`It is written as ${output}.`);
}
