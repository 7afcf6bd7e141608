/**
 * The operator's commands: `npm run slipway -- …`, or `bin/slipway.js …`. They join the users' commands of `cli/` in one
 * program. The code of a command is loaded when it runs, because users' commands need no server.
 */
import type { Command, Flag, Input, Table } from "../../cli/src/command.ts";
import { UsageError } from "../../cli/src/failure.ts";

const EMBEDDED = "With the embedded database, stop the service first: it locks the data folder.";
const CONFIGURATION = "Its configuration is environment variables (docs/reference/configuration.md).";
const BACKUP = { name: "PATH", says: "the backup" };
const NAME: Flag = {
  name: "name",
  value: "NAME",
  says: "your name, as providers show it to owners (default: Slipway)",
};

const COMMANDS: readonly Command[] = [
  {
    words: "start",
    says: "Run the service, like npm start; SLIPWAY_ROLE selects a part of it",
    more: [CONFIGURATION],
    operate: async () => void (await import("../main.ts")),
  },
  {
    words: "demo",
    says: "Run the demo on a temporary instance, like npm run demo",
    operate: async () => void (await import("./demo/demo.ts")),
  },
  {
    words: "migrate",
    says: "Migrate the database to this release",
    more: [EMBEDDED],
    operate: async () => (await import("./operate.ts")).migrateDatabase(),
  },
  {
    words: "distribute",
    says: "Distribute the tables over the nodes of a Citus cluster; stop the service first",
    operate: async () => (await import("./operate.ts")).distributeDatabase(),
  },
  {
    words: "doctor",
    says: "Check the installation on this machine: database, keys, clocks, work, disk, backup",
    more: ["The exit status is 1 if a check failed, and 0 with warnings."],
    flags: [{ name: "json", says: "print the results as JSON" }],
    operate: async (input) => (await import("./doctor.ts")).examine({ isJson: input.isSet("json") }),
  },
  {
    words: "sandbox",
    says: "Run only the sandbox cloud, for several processes that share it",
    more: [CONFIGURATION],
    operate: async () => (await import("./sandbox.ts")).runSandbox(),
  },
  {
    words: "edge",
    says: "Run only an edge on this machine, for a Slipway on another one",
    more: [CONFIGURATION],
    operate: async () => (await import("./edge.ts")).runEdge(),
  },
  {
    words: "org list",
    says: "Print the id and the name of each organization",
    more: [EMBEDDED],
    operate: async () => (await import("./operate.ts")).listOrganizationNames(),
  },
  {
    words: "org create",
    says: "Create an organization with an admin, and print the API key once",
    more: [EMBEDDED],
    arguments: [{ name: "NAME", says: "a display name" }],
    examples: ["slipway org create Acme"],
    operate: async (input) =>
      (await import("./operate.ts")).addOrganization(nonBlank("NAME", input.argument("NAME"))),
  },
  {
    words: "key create",
    says: "Create an API key for an admin of an organization, and print it once; it replaces a lost key",
    more: [EMBEDDED],
    arguments: [{ name: "ORGANIZATION_ID", says: "the organization, as `org list` prints it" }],
    examples: ["slipway key create org_01kahv2m4c8r1w6t3k9p5x7hbn"],
    operate: async (input) => (await import("./operate.ts")).addKey(input.argument("ORGANIZATION_ID")),
  },
  {
    words: "backup",
    says: "Write a backup of the database into a new file",
    more: ["To verify a backup: slipway backup verify PATH.", EMBEDDED],
    flags: [{ name: "to", value: "PATH", required: true, says: "the file to write; it must not exist" }],
    examples: ["slipway backup --to slipway.backup"],
    operate: async (input) => (await import("./backup/backup.ts")).makeBackup(input.requiredText("to")),
  },
  {
    words: "backup verify",
    says: "Restore a backup into a scratch database, and open its sealed values",
    arguments: [BACKUP],
    flags: [
      {
        name: "scratch",
        value: "URL",
        says: "an empty database of PostgreSQL for it (default: an embedded one in the folder for temporary files)",
      },
    ],
    examples: ["slipway backup verify slipway.backup"],
    operate: async (input) =>
      (await import("./backup/verify.ts")).verifyBackup(
        input.argument("PATH"),
        input.text("scratch") ?? null,
      ),
  },
  {
    words: "restore",
    says: "Restore a backup into an empty database",
    flags: [
      { name: "from", value: "PATH", required: true, says: "the backup" },
      { name: "without-keys", says: "restore it although the key folder does not have its keys" },
    ],
    examples: ["slipway restore --from slipway.backup"],
    operate: async (input) =>
      (await import("./backup/restore.ts")).restoreBackup(input.requiredText("from"), {
        withoutKeys: input.isSet("without-keys"),
      }),
  },
  {
    words: "move",
    says: "Move to another database: from the embedded one to PostgreSQL, or between servers",
    more: ["Stop the service first, on all machines."],
    flags: [
      { name: "to", value: "URL", says: "an empty database of PostgreSQL" },
      {
        name: "undo",
        says: "undo a move: let the service start on the configured database again",
      },
    ],
    examples: ["slipway move --to postgres://user:password@host/slipway", "slipway move --undo"],
    operate: move,
  },
  {
    words: "domain-connect template",
    says: "Write the templates that DNS providers review into files",
    flags: [{ name: "to", value: "FOLDER", says: "the folder for the files (default: this folder)" }, NAME],
    examples: ["slipway domain-connect template --to templates --name Acme"],
    operate: async (input) =>
      (await import("./domain-connect.ts")).writeTemplates(
        input.text("to") ?? ".",
        nonBlank("--name", input.text("name") ?? "Slipway"),
      ),
  },
  {
    words: "domain-connect key",
    says: "Print the TXT records that DNS providers check Slipway's signatures with",
    operate: async () => (await import("./domain-connect.ts")).printKeyRecords(),
  },
  {
    words: "keys rotate",
    says: "Create a new at-rest key; a running service re-seals the values of older keys with it",
    operate: async () => (await import("./keys.ts")).rotateKeys(),
  },
  {
    words: "keys status",
    says: "Print the at-rest keys, the progress of re-sealing, and the key that wraps them",
    operate: async () => (await import("./keys.ts")).showKeys(),
  },
  {
    words: "keys unwrap",
    says: "Remove the AWS KMS wrapping from the keys; stop the service first",
    operate: async () => (await import("./keys.ts")).unwrapKeys(),
  },
];

export const OPERATOR = {
  table: {
    commands: COMMANDS,
    groups: [
      { word: "org", says: "List organizations, and create them" },
      { word: "key", says: "Replace a lost API key" },
      { word: "backup", says: "Write a backup of the database, or verify one" },
      {
        word: "domain-connect",
        says: "Prepare Domain Connect, so that DNS providers can set records (docs/how-to/domain-connect.md)",
      },
      { word: "keys", says: "Rotate and show the sealing keys (docs/how-to/keys.md); the service may run" },
    ],
  } satisfies Table,
  /** What to print for an error of such a command. */
  async explain(error: unknown): Promise<string> {
    return (await import("../lib/operator-error.ts")).explainToOperator(error);
  },
};

async function move(input: Input): Promise<void> {
  const { moveInstallation, undoMove } = await import("./move.ts");
  if (input.isSet("undo")) return await undoMove();
  const to = input.text("to");
  if (to === undefined) throw new UsageError("Give --to URL, or --undo.", "See slipway move --help.");
  return await moveInstallation(to);
}

function nonBlank(name: string, text: string): string {
  if (text.trim() === "") throw new UsageError(`${name} must not be blank.`);
  return text;
}
