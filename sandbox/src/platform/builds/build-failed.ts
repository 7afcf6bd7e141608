/** Ends a build as `FAILED`. The message is for users. */
export class BuildFailed extends Error {
  override readonly name = "BuildFailed";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
