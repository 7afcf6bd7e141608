/** How a cloud account's connection is, in a person's words. Pure. */
import type { AwsAccount } from "../../../sdk/src/generated/types.ts";

export type AccountWords = {
  readonly words: string;
  readonly tone: "good" | "busy" | "todo" | "bad" | "calm";
  /** What the user has to do; null: nothing. */
  readonly next: string | null;
};

/** A connection that works, but lacks permissions, is not well: deployments fail at it. */
export function describeAccount({
  status,
  lastCheckError,
}: Pick<AwsAccount, "status" | "lastCheckError">): AccountWords {
  if (status === "AWAITING_CONNECTION")
    return {
      words: "Not connected yet",
      tone: "todo",
      next: "Open it. Its page says how to connect it.",
    };
  if (status === "DISCONNECTED")
    return {
      words: "Disconnected",
      tone: "bad",
      next: "Slipway cannot use it any more. Open it to connect it again, then check.",
    };
  if (lastCheckError?.code === "PERMISSIONS_MISSING")
    return {
      words: "Connected, lacks permissions",
      tone: "todo",
      next: "Update the stack to its newest template.",
    };
  if (lastCheckError !== null)
    return {
      words: "Connected, look at the last check",
      tone: "todo",
      next: "Read what the last check found.",
    };
  return { words: "Connected", tone: "good", next: null };
}

/**
 * Why what is in the account must not be abandoned; null if it may. The server's rule is `works` of
 * `src/features/cloud-accounts`: then a deletion cleans up.
 */
export function reasonAgainstAbandon({
  status,
  lastCheckError,
}: Pick<AwsAccount, "status" | "lastCheckError">): string | null {
  return status === "CONNECTED" && lastCheckError === null ? "The account works. Delete it instead." : null;
}

/** The permissions that a check's message names, such as `acm:RequestCertificate`. */
export function missingPermissions({
  lastCheckError,
}: Pick<AwsAccount, "lastCheckError">): readonly string[] {
  if (lastCheckError?.code !== "PERMISSIONS_MISSING") return [];
  return [...new Set(lastCheckError.message.match(/\b[a-z][a-z0-9-]*:[A-Z][A-Za-z]+\b/g) ?? [])];
}

/** An id for programs, made of a name: `Acme production` becomes `acme-production`. */
export function givenIdOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
    .slice(0, 60);
}
