/** Headers of a read that can wait for a change. */
export const WAIT_HEADERS = {
  type: "object",
  properties: {
    prefer: {
      type: "string",
      description:
        "`wait=N` holds the request until the resource changes or differs from `If-None-Match`, for at most N seconds. N is at most 60.",
      examples: ["wait=30"],
    },
  },
};

/** Headers that every write takes. */
export const IDEMPOTENCY_HEADERS = {
  type: "object",
  properties: {
    "idempotency-key": {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description:
        "A text of your choice, different for each new request. For 24 hours, a repeated request with the same key gets the first response again.",
      examples: ["7d2f1c9e-52ab-4f0e-9d3c-0b8f6a4e1c27"],
    },
  },
};

/** Headers of a write that changes a resource with an ETag. */
export const CHANGE_HEADERS = {
  type: "object",
  properties: {
    ...IDEMPOTENCY_HEADERS.properties,
    "if-match": {
      type: "string",
      description:
        "The ETags of the state that you want to change. The request is refused with 412 if the resource has changed.",
      examples: ['"Yk3Zk4bFq0uXw2k5m7l8v9n0p1Q"'],
    },
  },
};
