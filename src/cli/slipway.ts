/**
 * The command line: `npm run slipway -- …`, or `bin/slipway.js …`. The code of a command is loaded only when it runs,
 * so that help and errors appear at once.
 */
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError } from "commander";

const ABOUT = `Slipway, a self-hostable control plane.

Configuration is environment variables (docs/reference/configuration.md). From a checkout: npm run slipway -- <command>.`;

const EMBEDDED = "\nWith the embedded database, stop the service first: it locks the data folder.";

function createProgram(): Command {
  const program = new Command("slipway")
    .description(ABOUT)
    .version(releaseName(), "-v, --version", "print the release")
    .helpOption("-h, --help", "print this help, or the help of a command")
    .helpCommand("help [command]", "print this help, or the help of a command")
    .configureHelp({ showGlobalOptions: false })
    .exitOverride();

  program
    .command("start")
    .description("run the service, like npm start; SLIPWAY_ROLE selects a part of it")
    .action(async () => void (await import("../main.ts")));
  program
    .command("demo")
    .description("play the whole story on a temporary instance, like npm run demo")
    .action(async () => void (await import("./demo/demo.ts")));
  program
    .command("migrate")
    .description("migrate the database to this release")
    .addHelpText("after", EMBEDDED)
    .action(async () => await (await import("./operate.ts")).migrateDatabase());
  program
    .command("sandbox")
    .description("run the sandbox cloud alone, for several processes that share it")
    .action(async () => await (await import("./sandbox.ts")).runSandbox());

  const organizations = program
    .command("org")
    .description("list organizations, and create them")
    .addHelpText("after", EMBEDDED);
  organizations
    .command("list")
    .description("print the id and the name of each organization")
    .action(async () => await (await import("./operate.ts")).listOrganizationNames());
  organizations
    .command("create")
    .description("create an organization with an admin, and print the API key once")
    .argument("<name>", "its name, as people see it", nonBlank)
    .action(async (name: string) => await (await import("./operate.ts")).addOrganization(name));

  const keys = program.command("key").description("replace a lost API key").addHelpText("after", EMBEDDED);
  keys
    .command("create")
    .description("create an API key for an admin of an organization, and print it once")
    .argument("<organization-id>", "as `org list` prints it")
    .action(async (id: string) => await (await import("./operate.ts")).addKey(id));

  const sealing = program
    .command("keys")
    .description("rotate and show the sealing keys (docs/how-to/keys.md); the service may run");
  sealing
    .command("rotate")
    .description("create a new at-rest key; a running service re-seals with it what older keys sealed")
    .action(async () => await (await import("./keys.ts")).rotateKeys());
  sealing
    .command("status")
    .description("print the at-rest keys, the progress of re-sealing, and what wraps the keys")
    .action(async () => await (await import("./keys.ts")).showKeys());
  sealing
    .command("unwrap")
    .description("remove the AWS KMS wrapping from the keys; stop the service first")
    .action(async () => await (await import("./keys.ts")).unwrapKeys());

  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    const line = lineOf(command);
    command
      .showSuggestionAfterError()
      .showHelpAfterError(`\nUsage: ${line} ${command.usage()}\nMore:  ${line} --help`);
  }
  return program;
}

/** The words that select a command. */
function lineOf(command: Command): string {
  return command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`;
}

function nonBlank(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be blank.");
  return text;
}

function releaseName(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

async function main(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    // Help and errors have been printed already.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      const { explainToOperator } = await import("../start/operator-errors.ts");
      process.stderr.write(`${explainToOperator(error)}\n`);
      process.exit(1);
    }
  }
}

await main(process.argv.slice(2));
