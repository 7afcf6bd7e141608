/** What the distribution of a preview does with its visitors. All of its answers have `x-robots-tag: noindex`. */
import { createHash } from "node:crypto";
import type { Gate } from "../lib/preview-gate.ts";

export type PreviewAccess = {
  /** Null: everyone may open it. */
  readonly gate: Gate | null;
};

/** By which a distribution shows what access it has, without its secrets: 11 characters of base64url. */
export function accessKeyOf({ gate }: PreviewAccess): string {
  const parts = gate === null ? null : [gate.key, gate.signInUrl, gate.bypassHash];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 11);
}
