import type { CloudErrorCode, CloudErrorKind } from "../cloud/cloud.ts";

/** A refused call, on the sandbox's side. The adapter turns it into a `CloudError`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: CloudErrorKind;
  readonly code: CloudErrorCode;
  constructor(kind: CloudErrorKind, code: CloudErrorCode, message: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}
