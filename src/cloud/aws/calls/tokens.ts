import { createHash } from "node:crypto";

/**
 * A caller's token in a form that AWS accepts: only hexadecimal digits. ACM allows 32 characters (`\w+`),
 * Secrets Manager requires 32 to 64, CloudFront allows at most 128.
 */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 32);
}
