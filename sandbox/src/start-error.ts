import { OperatorError } from "../../src/lib/operator-error.ts";

/** The sandbox cannot start or cannot be used. The message says what an operator has to change. */
export class SandboxStartError extends OperatorError {
  override readonly name = "SandboxStartError";
}
