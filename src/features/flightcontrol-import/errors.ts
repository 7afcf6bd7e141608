import { declareErrors } from "../../lib/errors.ts";

export const IMPORT_ERRORS = declareErrors({
  IMPORT_FILE_INVALID: {
    status: 422,
    title: "The file cannot be imported",
    cause:
      "It is not JSON, or not a configuration of Flightcontrol: environments, services or their ids are missing or appear twice, or services depend on each other in a circle.",
    remedy:
      "Correct what `detail` names, or each entry of `errors`, whose `path` is a JSON Pointer in the file.",
  },
});
