import { OperatorError } from "../lib/operator-error.ts";

/**
 * `KEY_DESTROYED`: the key that would open it no longer exists, so nothing ever will.
 * `TAMPERED`: it was changed, or belongs to another name, run or organization.
 * The others need the operator, and their messages say what to do. `KEYS_WRAPPED`: a key service wrapped the keys, but
 * none is configured. `KEY_SERVICE_UNUSABLE`: the service does not unwrap them.
 */
export type SealingErrorCode =
  | "KEY_DESTROYED"
  | "TAMPERED"
  | "KEY_FOLDER_UNUSABLE"
  | "KEY_FILE_CORRUPT"
  | "KEYS_WRAPPED"
  | "KEY_SERVICE_UNUSABLE";

/** A failure to seal or open. The message never holds a value or a key. */
export class SealingError extends OperatorError {
  override readonly name = "SealingError";
  readonly code: SealingErrorCode;
  constructor(code: SealingErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
