/** The commands of this program, for help. `slipway.ts` has what each does; all others are those of `cli/`. */
export const OPERATOR_COMMANDS: readonly (readonly [words: string, says: string])[] = [
  ["start", "run the service, like npm start; SLIPWAY_ROLE selects a part of it"],
  ["demo", "play the whole story on a temporary instance, like npm run demo"],
  ["migrate", "migrate the database to this release"],
  ["distribute", "distribute the tables over the nodes of a Citus cluster; stop the service first"],
  ["doctor", "check the installation on this machine: database, keys, clocks, work, disk, backup"],
  ["sandbox", "run the sandbox cloud alone, for several processes that share it"],
  ["org", "list organizations, and create them"],
  ["key", "replace a lost API key"],
  ["backup", "write a backup of the database into a new file, or verify one (backup verify)"],
  ["restore", "restore a backup into an empty database"],
  ["move", "continue in another database: from the embedded one to PostgreSQL, or between servers"],
  ["domain-connect template", "write the templates that DNS providers review into files"],
  ["domain-connect key", "print the TXT records by which DNS providers check what Slipway signs"],
  ["keys rotate", "create a new at-rest key; a running service re-seals with it what older keys sealed"],
  ["keys status", "print the at-rest keys, the progress of re-sealing, and what wraps the keys"],
  ["keys unwrap", "remove the AWS KMS wrapping from the keys; stop the service first"],
];

/** Whether a command line is one of these. One word is not enough: `keys` also begins commands of users. */
export function isOperatorCommand(args: readonly string[]): boolean {
  const [first = "", second = ""] = args[0] === "help" ? args.slice(1) : args;
  return OPERATOR_COMMANDS.some(([words]) => words === first || words === `${first} ${second}`);
}
