import { declareErrors, declareFaults } from "../../lib/errors.ts";

export const WEBHOOK_ERRORS = declareErrors({
  WEBHOOK_URL_REFUSED: {
    status: 422,
    title: "The URL of the webhook cannot be used",
    cause:
      "The host of the URL does not resolve, or resolves to an address that is not public. Slipway does not say which.",
    remedy:
      "Use a URL that the internet reaches. An operator can allow a host inside the network with SLIPWAY_WEBHOOK_ALLOWED_HOSTS.",
  },
  TOO_MANY_WEBHOOK_ENDPOINTS: {
    status: 409,
    title: "The organization has 50 webhook endpoints",
    cause: "An organization can have at most 50 webhook endpoints.",
    remedy: "Delete an endpoint that is no longer needed.",
  },
  WEBHOOK_ENDPOINT_DISABLED: {
    status: 409,
    title: "The webhook endpoint is disabled",
    cause: "Nothing is sent to a disabled endpoint.",
    remedy: "Enable it first.",
  },
  WEBHOOK_SECRET_OVERLAPS: {
    status: 409,
    title: "The previous secret is still valid",
    cause:
      "The secret was rotated, and the previous secret signs until the overlap ends. Another rotation would end it now.",
    remedy: "Wait until `previousSecretUntil`, revoke the previous secret, or send `force: true`.",
  },
  WEBHOOK_REPLAY_RUNNING: {
    status: 409,
    title: "A replay is running",
    cause: "An endpoint has one replay at a time.",
    remedy: "Wait until the endpoint's `isReplaying` is false.",
  },
});

export const WEBHOOK_FAULTS = declareFaults({
  URL_NOT_HTTPS: "It must begin with https://.",
  URL_WITH_CREDENTIALS: "It must not contain a user name or password. Use additional headers.",
  HEADER_NOT_ALLOWED:
    "The header is reserved for HTTP or for the webhook itself, or its name or value is not valid in HTTP.",
  PROJECT_OF_ENVIRONMENT: "The environment does not belong to the project.",
  TIMES_REVERSED: "The end of the time must be later than its beginning.",
});
