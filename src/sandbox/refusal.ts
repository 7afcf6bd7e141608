import type { CloudErrorCode, CloudErrorKind } from "../cloud/cloud.ts";

/** The sandbox cloud's refusal of a call, on the server's side; the adapter makes a `CloudError` of it. */
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
