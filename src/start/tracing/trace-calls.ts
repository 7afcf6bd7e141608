import type { CallPolicy } from "../../cloud/calls/policy.ts";
import type { Tracing } from "../../lib/tracing.ts";

/** The same policy with a span for each request to a cloud, by the provider's name of the operation, with its attempts. */
export function traceCalls(policy: CallPolicy, tracing: Tracing): CallPolicy {
  return {
    ...policy,
    request: (request) => tracing.within(request.operation, "client", () => policy.request(request)),
  };
}
