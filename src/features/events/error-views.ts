import { cutText } from "../../lib/cut-text.ts";
import { Type } from "typebox";
import { Text } from "../../http/schemas.ts";

/** In characters. Longer messages are cut, so that an event stays small; the resource has them whole. */
const MESSAGE_MAX = 1_000;

/** Why something failed, as events show it. */
export const CodedErrorSchema = Type.Object(
  {
    code: Text("The error, for programs.", "BUILD_FAILED"),
    message: Text(
      "The error, and how to solve it.",
      "The build command ended with exit code 1. Its log says why.",
    ),
    action: Type.Optional(
      Text("What to do, if it is not part of the message.", "Read the log of the build."),
    ),
    retryable: Type.Optional(
      Type.Boolean({
        description: "Whether a retry can succeed without another change first.",
        examples: [true],
      }),
    ),
  },
  { title: "EventError", description: "The error." },
);

/** Of an error that may have more than its code and message. @param max in characters, of the message */
export function codedErrorOf(
  { code, message }: { readonly code: string; readonly message: string },
  max: number = MESSAGE_MAX,
) {
  return { code, message: message.length <= max ? message : `${cutText(message, max)}…` };
}
