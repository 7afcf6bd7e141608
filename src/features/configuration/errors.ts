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
      "It changes what cannot change in place, such as the type of a service or the region of an environment, or no longer has a service with domain certificate groups.",
    remedy:
      "Follow `errors`. Give another id to what cannot change in place; delete domain certificate groups before their service. `POST /v1/projects/{id}/plan` tells beforehand.",
  },
});

export const CONFIGURATION_FAULTS = declareFaults({
  CYCLE: "Services depend on one another in a circle. Take one of the dependencies out.",
  CANNOT_CHANGE: "It was settled when the resource was made. Make a new one for another value.",
});
