import { findJsonFault } from "../../lib/json-fault.ts";
import { AppError } from "../../lib/errors.ts";
import { GIT_ERRORS } from "../../git/errors.ts";
import { CONFIGURATION_ERRORS } from "./errors.ts";
import type { Git, GitAccess, Repository } from "../../git/git.ts";
import { parseJsonBody } from "../../lib/json/json-body.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { type Configuration, ConfigurationError, type ParseConfiguration } from "./configuration.ts";

/** What reading the configuration of an organization's repository needs. */
export type RepositoryDeps = GitDeps & { readonly parseConfiguration: ParseConfiguration };

/** A configuration as it was written, and as it was read. */
export type ReadConfiguration = { readonly rawConfig: unknown; readonly configuration: Configuration };

/**
 * Reads the configuration file of an `iac` project at a commit. `place` completes the refusals' "in the
 * file …", such as "on the branch main".
 * @throws AppError `CONFIG_FILE_NOT_FOUND`, `CONFIG_INVALID` with all faults; GitError
 */
export async function readConfigurationFile(
  deps: { readonly git: Git; readonly parseConfiguration: ParseConfiguration },
  access: GitAccess,
  repository: Repository,
  at: { readonly path: string; readonly commit: string; readonly place: string },
): Promise<ReadConfiguration> {
  const text = await deps.git.readFile(access, repository, at.commit, at.path);
  if (text === null) {
    throw new AppError(
      CONFIGURATION_ERRORS.CONFIG_FILE_NOT_FOUND,
      `There is no file ${at.path} ${at.place}. Check configFilePath, and push the file.`,
    );
  }
  const file = `${at.path} ${at.place}`;
  const rawConfig = parseFile(text, file);
  try {
    return { rawConfig, configuration: deps.parseConfiguration(rawConfig) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { faults } = error;
    throw new AppError(
      GIT_ERRORS.CONFIG_INVALID,
      `${file} is not a valid configuration: it has ${faults.length === 1 ? "one fault" : `${faults.length} faults`}. The schema is at /schema.json.`,
      { faults, cause: error },
    );
  }
}

function parseFile(text: string, file: string): unknown {
  try {
    return parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fault = findJsonFault(text);
    const found = fault?.found === "" ? "the end of the file" : JSON.stringify(fault?.found);
    const message =
      fault === null
        ? `${file} is not usable JSON: it has a duplicate key, is nested deeper than 10 levels, or contains a NUL character or an unpaired surrogate.`
        : `${file} is not JSON: ${found} is unexpected at line ${fault.line}, column ${fault.column}. JSON has no comments, and no comma before } or ].`;
    throw new AppError(GIT_ERRORS.CONFIG_INVALID, message, { cause: error });
  }
}
