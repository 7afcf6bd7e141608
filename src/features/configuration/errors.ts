import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const CONFIGURATION_ERRORS = declareErrors({
  CONFIG_FILE_NOT_FOUND: {
    status: 422,
    title: "The configuration file was not found",
    cause: "There is no such file on that branch.",
    remedy: "Check configFilePath and configFileBranch.",
  },
  CONFIG_NOT_APPLICABLE: {
    status: 409,
    title: "The configuration cannot be applied",
    cause:
      "It changes something that cannot change in place, such as the type of a service or the region of an environment, or it removes a service that has domain certificate groups.",
    remedy:
      "See `errors`. Use a new id for what cannot change in place, and delete domain certificate groups before their service. `POST /v1/projects/{id}/plan` checks a change in advance.",
  },
});

export const CONFIGURATION_FAULTS = declareFaults({
  CYCLE: "Services depend on each other in a circle. Remove one of the dependencies.",
  DATA_STORE_PROTECTED:
    "A data store that Slipway created must not be deleted. Apply `deletionProtection: false` to it first.",
  CANNOT_CHANGE: "It cannot change after the resource is created. Create a new resource for another value.",
});
