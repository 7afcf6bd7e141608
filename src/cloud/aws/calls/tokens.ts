import { createHash } from "node:crypto";

/**
 * A caller's token in the form that AWS takes: hexadecimal digits alone. ACM allows 32 characters (`\w+`),
 * Secrets Manager asks for 32 to 64, CloudFront for 128 at most.
 */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 32);
}
