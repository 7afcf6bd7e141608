import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const PROJECT_CHANGE_ERRORS = declareErrors({
  PROJECT_IN_USE: {
    status: 409,
    title: "The project still has domains",
    cause: "Services of the project have domain certificate groups.",
    remedy: "Delete those groups first and wait until they are deleted.",
  },
  DATA_STORE_PROTECTED: {
    status: 409,
    title: "A data store of the project must not be deleted",
    cause: "The project has a data store that Slipway created, with deletionProtection.",
    remedy: "Apply `deletionProtection: false` to it. Then delete the project.",
  },
  PROJECT_CHANGED_MEANWHILE: {
    status: 409,
    title: "Another request changed the project",
    cause: "Another request changed the project while this change was being checked.",
    remedy: "Read the project, then send the request again.",
  },
  REPOSITORY_USER_DENIED: {
    status: 422,
    title: "The user has no access to the repository",
    cause: "The user who makes the request has no access to the repository at the git provider.",
    remedy: "Set the user's gitLogin and give that login access, or use another user's key.",
  },
});

export const PROJECT_CHANGE_FAULTS = declareFaults({
  HAS_DOMAINS: "It has domain certificate groups. Delete those first, and wait until they are deleted.",
  IS_LINKED: "Variables that were set with the API link to it. Delete or change those variables first.",
});
