import { declareErrors } from "../../lib/errors.ts";

export const SCALING_ERRORS = declareErrors({
  SERVICE_NOT_SCALABLE: {
    status: 409,
    title: "The number of instances cannot be changed",
    cause:
      "The service has no live release or no process, its release is of an earlier version of Slipway, or its cloud runs one instance of each service, as the sandbox and own servers do.",
    remedy: "Do what `detail` says.",
  },
  INSTANCES_OUT_OF_RANGE: {
    status: 409,
    title: "The number of instances is outside the limits",
    cause: "The number must be between `minInstances` and `maxInstances` of the live release.",
    remedy: "Choose a number in between, or change the two in the configuration and deploy.",
  },
});
