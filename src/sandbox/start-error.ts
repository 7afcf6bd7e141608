/** The sandbox cannot start or cannot be used. The message tells an operator what to change. */
export class SandboxStartError extends Error {
  override readonly name = "SandboxStartError";
}
