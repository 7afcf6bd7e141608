/**
 * The operator's commands: `npm run slipway -- …`, or `bin/slipway.js …`, which hands all others to `cli/`. The code of
 * a command is loaded only when it runs, so that help and errors appear at once.
 */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { OPERATOR_COMMANDS } from "./operator-commands.ts";

const ABOUT = `Slipway, a self-hostable control plane: the commands of its operator.

Configuration is environment variables (docs/reference/configuration.md). From a checkout: npm run slipway -- <command>.`;

const EMBEDDED = "\nWith the embedded database, stop the service first: it locks the data folder.";

function createProgram(): Command {
  const program = new Command("slipway")
    .description(ABOUT)
    .helpOption("-h, --help", "print this help, or the help of a command")
    .helpCommand("help [command]", "print this help, or the help of a command")
    .configureHelp({ showGlobalOptions: false })
    .exitOverride();

  program
    .command("start")
    .description(saysOf("start"))
    .action(async () => void (await import("../main.ts")));
  program
    .command("demo")
    .description(saysOf("demo"))
    .action(async () => void (await import("./demo/demo.ts")));
  program
    .command("migrate")
    .description(saysOf("migrate"))
    .addHelpText("after", EMBEDDED)
    .action(async () => await (await import("./operate.ts")).migrateDatabase());
  program
    .command("distribute")
    .description(saysOf("distribute"))
    .action(async () => await (await import("./operate.ts")).distributeDatabase());
  program
    .command("sandbox")
    .description(saysOf("sandbox"))
    .action(async () => await (await import("./sandbox.ts")).runSandbox());

  const organizations = program.command("org").description(saysOf("org")).addHelpText("after", EMBEDDED);
  organizations
    .command("list")
    .description("print the id and the name of each organization")
    .action(async () => await (await import("./operate.ts")).listOrganizationNames());
  organizations
    .command("create")
    .description("create an organization with an admin, and print the API key once")
    .argument("<name>", "its name, as people see it", nonBlank)
    .action(async (name: string) => await (await import("./operate.ts")).addOrganization(name));

  const keys = program.command("key").description(saysOf("key")).addHelpText("after", EMBEDDED);
  keys
    .command("create")
    .description("create an API key for an admin of an organization, and print it once")
    .argument("<organization-id>", "as `org list` prints it")
    .action(async (id: string) => await (await import("./operate.ts")).addKey(id));

  program
    .command("doctor")
    .description(saysOf("doctor"))
    .option("--json", "print the results as JSON", false)
    .addHelpText("after", "\nThe exit status is 1 if a check failed, and 0 with warnings.")
    .action(
      async ({ json }: { json: boolean }) => await (await import("./doctor.ts")).examine({ isJson: json }),
    );

  const backup = program
    .command("backup")
    .description(saysOf("backup"))
    .addHelpText("after", EMBEDDED)
    // Not required by its parser, which would require it of `verify` too.
    .option("--to <path>", "the file to write; it must not exist")
    .action(async ({ to }: { to?: string }, command: Command) => {
      if (to === undefined) command.error("error: required option '--to <path>' not specified");
      await (await import("./backup/backup.ts")).makeBackup(to);
    });
  backup
    .command("verify")
    .description("restore a backup into a scratch database, and open what is sealed in it")
    .argument("<path>", "the backup")
    .option(
      "--scratch <url>",
      "an empty database of PostgreSQL for it, instead of an embedded one in the folder for temporary files",
    )
    .action(
      async (file: string, { scratch }: { scratch?: string }) =>
        await (await import("./backup/verify.ts")).verifyBackup(file, scratch ?? null),
    );
  program
    .command("restore")
    .description(saysOf("restore"))
    .requiredOption("--from <path>", "the backup")
    .option("--without-keys", "restore it although the key folder does not have its keys", false)
    .action(
      async ({ from, withoutKeys }: { from: string; withoutKeys: boolean }) =>
        await (await import("./backup/restore.ts")).restoreBackup(from, { withoutKeys }),
    );

  program
    .command("move")
    .description(saysOf("move"))
    .option("--to <url>", "an empty database of PostgreSQL")
    .option("--undo", "let the service start on the configured database again, from which it had moved")
    .addHelpText("after", "\nStop the service first, on all machines.")
    .action(async ({ to, undo }: { to?: string; undo?: boolean }, command: Command) => {
      const { moveInstallation, undoMove } = await import("./move.ts");
      if (undo === true) return await undoMove();
      if (to === undefined) command.error("error: required option '--to <url>' not specified");
      return await moveInstallation(to);
    });

  const sealing = program
    .command("keys")
    .description("rotate and show the sealing keys (docs/how-to/keys.md); the service may run");
  sealing
    .command("rotate")
    .description(saysOf("keys rotate"))
    .action(async () => await (await import("./keys.ts")).rotateKeys());
  sealing
    .command("status")
    .description(saysOf("keys status"))
    .action(async () => await (await import("./keys.ts")).showKeys());
  sealing
    .command("unwrap")
    .description(saysOf("keys unwrap"))
    .action(async () => await (await import("./keys.ts")).unwrapKeys());

  const connect = program
    .command("domain-connect")
    .description("become known to DNS providers that set records themselves (docs/how-to/domain-connect.md)");
  connect
    .command("template")
    .description(saysOf("domain-connect template"))
    .option("--to <folder>", "where to write them", ".")
    .option("--name <name>", "your name, as providers show it to owners", nonBlank, "Slipway")
    .action(
      async ({ to, name }: { to: string; name: string }) =>
        await (await import("./domain-connect.ts")).writeTemplates(to, name),
    );
  connect
    .command("key")
    .description(saysOf("domain-connect key"))
    .action(async () => (await import("./domain-connect.ts")).printKeyRecords());

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

function saysOf(words: string): string {
  return OPERATOR_COMMANDS.find(([known]) => known === words)?.[1] ?? "";
}

async function main(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    // Help and errors have been printed already.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      const { explainToOperator } = await import("../lib/operator-error.ts");
      process.stderr.write(`${explainToOperator(error)}\n`);
      process.exit(1);
    }
  }
}

const [first, ...others] = process.argv.slice(2);
// Commander's own `help` takes only one word.
await main(first === "help" ? [...others, "--help"] : process.argv.slice(2));
