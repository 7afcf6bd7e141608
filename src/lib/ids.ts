import { randomBytes } from "node:crypto";
import { TypeID, typeid } from "typeid-js";

/** The prefixes of every kind of id. */
export type IdPrefix =
  | "org"
  | "user"
  | "key"
  | "ses"
  | "trust"
  | "wtok"
  | "aws"
  | "git"
  | "proj"
  | "env"
  | "svc"
  | "cdn"
  | "group"
  | "dom"
  | "att"
  | "cert"
  | "rec"
  | "run"
  | "ver"
  | "depl"
  | "audit"
  | "evt"
  | "whe"
  | "whd"
  | "nch"
  | "ghd"
  | "prev"
  | "share"
  | "inv"
  | "exec"
  | "snap"
  | "invite";

/** A new sortable id, such as `dom_01jd…` (TypeID: a UUIDv7 behind a prefix). */
export function newId(prefix: Exclude<IdPrefix, "aws">): string {
  return typeid(prefix).toString();
}

/** Before all ids, or with `after` behind all, that are made in the millisecond of `at`. */
export function idAround(prefix: IdPrefix, at: Date, side: "before" | "after"): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, "0");
  const rest = side === "before" ? "0000-0000-000000000000" : "ffff-ffff-ffffffffffff";
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(5)}`;
  return TypeID.fromUUID(prefix, uuid).toString();
}

const CROCKFORD_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A new cloud account connection id. It is also the external id of the customer's role, so it is wholly random (130
 * bits). Unlike the other ids, it does not show when it was made.
 */
export function newConnectionId(): string {
  const suffix = Array.from(randomBytes(26), (byte) => CROCKFORD_BASE32.charAt(byte & 31)).join("");
  return `aws_${suffix}`;
}

/** Whether a text has the form of one. */
export function isConnectionId(text: string): boolean {
  return /^aws_[0-9a-z]{26}$/.test(text);
}
