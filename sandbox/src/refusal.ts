import type { CloudErrorCode, CloudErrorKind } from "../../src/cloud/cloud.ts";
import type { Rate } from "../../src/lib/pace/token-bucket.ts";

/** The rate that a call was refused for; operations with the same bucket share it. */
export type CallRate = Rate & { readonly bucket: string };

/** A refused call, on the sandbox's side. The adapter turns it into a `CloudError`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: CloudErrorKind;
  readonly code: CloudErrorCode;
  readonly rate: CallRate | undefined;
  constructor(kind: CloudErrorKind, code: CloudErrorCode, message: string, rate?: CallRate) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.rate = rate;
  }
}

/** The refusal of an input that no account may send. */
export function invalid(message: string): Refusal {
  return new Refusal("invalid", "INVALID_REQUEST", message);
}
