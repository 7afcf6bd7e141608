/** Why a data store does not run, for users. Pure. */
import type { Engine } from "./engine.ts";
import type { Program } from "./programs.ts";

export type Failure = { readonly code: string; readonly message: string };

/** The codes of errors of Node, and what programs print. */
const CAUSES: readonly (readonly [RegExp, Failure])[] = [
  [
    /ENOSPC|EDQUOT|No space left on device|quota exceeded|disk is full/i,
    {
      code: "DISK_FULL",
      message: "The disk of the sandbox's machine is full. Free some space: the sandbox tries again.",
    },
  ],
  [
    /EROFS|EACCES|Read-only file system|Permission denied/i,
    {
      code: "NOT_WRITABLE",
      message:
        "The sandbox cannot write to its folder platform/stores. Make it writable: the sandbox tries again.",
    },
  ],
];

/** @param seen an error, or the output of a program */
export function explain(seen: unknown): Failure {
  const code = seen instanceof Error && "code" in seen ? String(seen.code) : "";
  const text = seen instanceof Error ? `${code} ${seen.message}` : String(seen);
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? UNEXPLAINED;
}

const UNEXPLAINED: Failure = {
  code: "STORE_FAILED",
  message: "Its server does not work. The sandbox's log says why.",
};

export const DATA_MISSING: Failure = {
  code: "DATA_MISSING",
  message:
    "The folder of its data is missing or incomplete. Put the folder back, or restore a snapshot into a new data store.",
};

export function portTaken(port: number): Failure {
  return {
    code: "PORT_TAKEN",
    message: `Another program of the sandbox's machine uses its port ${port}. End that program: the data store starts then.`,
  };
}

export function programMissing(
  engine: Engine,
  found: readonly Program[],
  version: string | undefined,
): Failure {
  const has = found.length === 0 ? "" : ` It has ${found.map((one) => one.version).join(", ")}.`;
  const name = version === undefined ? engine.title : `${engine.title} ${version}`;
  return {
    code: "PROGRAM_MISSING",
    message: `The sandbox's machine has no ${name}.${has} Install the package ${engine.packageOf(version)}.`,
  };
}
