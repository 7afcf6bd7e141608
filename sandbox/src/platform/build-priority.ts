import { constants } from "node:os";

/** Of everything that a build runs, so that many builds at once do not slow the services that run here. */
export const BUILD_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;
