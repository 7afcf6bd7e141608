import { declareErrors } from "../../lib/errors.ts";

export const EXECUTION_ERRORS = declareErrors({
  COMMAND_NOT_RUNNABLE: {
    status: 409,
    title: "The service cannot run a command",
    cause: "Commands run in the live release of a web service, a worker or a scheduler.",
    remedy: "Do what `detail` says. If the service has no live release, deploy it first.",
  },
  APPROVAL_REQUIRED: {
    status: 409,
    title: "Commands need an approval in this environment",
    cause:
      "A second person must approve what runs in this environment. A command that is typed by hand has no approval.",
    remedy: "Put the command into `slipway.json` as `preDeployCommand` or as a job, and deploy it.",
  },
  TOO_MANY_EXECUTIONS: {
    status: 409,
    title: "Too many executions of the service are under way",
    cause: "A service may have at most 50 executions that have not ended.",
    remedy: "Wait until some have ended, or cancel them.",
  },
  EXECUTION_ENDED: {
    status: 409,
    title: "The execution has ended",
    cause: "Only an execution that has not ended can be cancelled.",
    remedy: "Read the execution to see how it ended.",
  },
});
