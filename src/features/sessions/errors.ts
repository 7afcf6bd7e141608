import { declareErrors } from "../../lib/errors.ts";

export const SESSION_ERRORS = declareErrors({
  SESSION_NEEDS_KEY: {
    status: 403,
    title: "Only an API key can be exchanged for a session",
    cause: "The request was made with a session's cookie, or with the token of a workload.",
    remedy: "Send an API key: `Authorization: Bearer <API_KEY>`.",
  },
  SERVICE_ACCOUNT_SIGN_IN: {
    status: 403,
    title: "A service account does not sign in",
    cause: "The API key belongs to a user of the kind `service`, which is a program.",
    remedy: "Send the key with each request, or sign in with a person's key.",
  },
});
