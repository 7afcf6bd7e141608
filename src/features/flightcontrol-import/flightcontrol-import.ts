/** What the import of a `flightcontrol.json` finds. No value of a variable is part of it, except in the proposal. */

import type { Cloud } from "../../cloud/cloud.ts";

/** The properties of a cloud that an import depends on. */
export type ImportCloud = Pick<
  Cloud,
  | "keepsLogsByDays"
  | "buildsDockerfiles"
  | "runsImages"
  | "scalesInstances"
  | "readsOtherSecrets"
  | "createsStores"
>;

/** The types of services in a proposal. */
export type ImportedType = "static" | "web" | "web-private" | "worker" | "scheduler";

/** Whether it has a port. */
export function isServer(type: ImportedType): boolean {
  return type === "web" || type === "web-private";
}

/** In characters. */
export const FILE_LENGTH_MAX = 512 * 1024;

/**
 * `mapped`: the proposal has it as it is. `mappedWithChange`: the proposal has it in another form. `ignoredSafely`:
 * Slipway behaves so without it. `unsupported`: it is not in the proposal.
 */
export const FINDING_CLASSES = ["mapped", "mappedWithChange", "ignoredSafely", "unsupported"] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];

/** What becomes of a field, and why. */
export type Verdict = {
  readonly class: FindingClass;
  /** Whether the services would not work as before, or not at all, until a person acts. */
  readonly isBlocking: boolean;
  readonly reason: string;
  /** What a person does. */
  readonly action: string | null;
};

export type Finding = Verdict & {
  /** A JSON Pointer in the file. A finding is about everything below it. A default of Flightcontrol may not be there. */
  readonly path: string;
  /** The ids of the file. Null outside of environments, and of services. */
  readonly environment: string | null;
  readonly service: string | null;
  /** With dots, within the service, the environment or the file: `ci.instanceSize`. */
  readonly field: string;
};

/** A plain value that looks like a secret, which is in no output; or a reference that the cloud cannot follow. */
export type SecretToMove = {
  /** Null for all environments. */
  readonly environment: string | null;
  /** Null for all services of the environment. */
  readonly service: string | null;
  readonly name: string;
};

export type ImportedFile = {
  /** A `slipway.json` that its schema accepts. Null if nothing can be imported. */
  readonly proposal: Readonly<Record<string, unknown>> | null;
  /** In the order of the file. Each field of the file is covered by exactly one. */
  readonly findings: readonly Finding[];
  readonly secrets: readonly SecretToMove[];
};

export type Alias = {
  readonly name: string;
  /** What Slipway sets instead, in every build and release. Null if nothing. */
  readonly replacement: string | null;
  readonly says: string;
};

/** Variables that Flightcontrol sets and code may read. Names with a replacement are replaced in commands. */
export const ALIASES: readonly Alias[] = [
  ...[
    ["FC_URL", "SLIPWAY_URL"],
    ["FC_GIT_COMMIT_SHA", "SLIPWAY_GIT_COMMIT_SHA"],
    ["FC_GIT_BRANCH", "SLIPWAY_GIT_BRANCH"],
  ].map(([name = "", replacement = ""]) => ({
    name,
    replacement,
    says: `Read ${replacement} in the code, or begin the start command with ${name}="$${replacement}".`,
  })),
  {
    name: "FC_AWS_REGION",
    replacement: null,
    says: "If the code reads it, add the plain variable FC_AWS_REGION with the region to the environment.",
  },
];

export function mapped(): Verdict {
  return { class: "mapped", isBlocking: false, reason: "It is copied.", action: null };
}

export function changed(reason: string, action: string | null = null): Verdict {
  return { class: "mappedWithChange", isBlocking: false, reason, action };
}

export function ignored(reason: string): Verdict {
  return { class: "ignoredSafely", isBlocking: false, reason, action: null };
}

export function missing(reason: string, action: string | null = null): Verdict {
  return { class: "unsupported", isBlocking: false, reason, action };
}

export function blocking(reason: string, action: string): Verdict {
  return { class: "unsupported", isBlocking: true, reason, action };
}

/** @param form such as "a number" */
export function wrongForm(form: string): Verdict {
  return blocking(`It is not ${form}.`, "Correct it in the file, and import the file again.");
}
