/** The sandbox cannot start or cannot be used. The message says what an operator has to change. */
export class SandboxStartError extends Error {
  override readonly name = "SandboxStartError";
}
