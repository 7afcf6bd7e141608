import { declareErrors } from "../../lib/errors.ts";

export const PREVIEW_ERRORS = declareErrors({
  PREVIEW_NOT_WAITING: {
    status: 409,
    title: "The preview does not wait for an approval",
    cause:
      "Its commit was approved before, or needs no approval because it is in the project's own repository.",
    remedy: "Read the preview: `state` says what it waits for.",
  },
  PREVIEW_MOVED: {
    status: 409,
    title: "The pull request has a newer commit",
    cause: "The approval names another commit than the pull request has now.",
    remedy: "Read the commit that `detail` names, and approve it.",
  },
  PREVIEW_DELETING: {
    status: 409,
    title: "The preview is being deleted",
    cause: "The resources of the preview in the cloud account are being removed.",
    remedy: "Wait until it is deleted, and send the request again.",
  },
  NO_PREVIEW_TEMPLATE: {
    status: 409,
    title: "The project makes no previews",
    cause: "The project has no environment with `source.pr`, or several, and the request names none of them.",
    remedy:
      "Add `pr: true` to an environment of the configuration, or name the environment in `environmentId`.",
  },
});
