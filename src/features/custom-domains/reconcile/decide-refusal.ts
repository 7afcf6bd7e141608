import type { CloudError } from "../../../cloud/cloud.ts";
import { codeOfCloudError } from "./attachment-error.ts";
import type { AttachmentErrorCode, Certificate, Domain } from "../custom-domain.ts";
import { secondHalf } from "./decide-unissued.ts";
import type { DesiredGroup, GroupStep } from "./group-step.ts";

/** What to do after a refused call. */
export type RefusalStep =
  /** It may pass, or there is no domain to show it on: retry after a backoff. */
  | { readonly kind: "tryAgain" }
  | {
      readonly kind: "fail";
      readonly code: AttachmentErrorCode;
      readonly domains: readonly Domain[];
      /** No longer useful, although the provider has it. */
      readonly abandon: Certificate | null;
      /** Refused, so the provider does not have it. */
      readonly forget: Certificate | null;
      /** Whether Slipway retries it on its own: what is being deleted must be removed. */
      readonly isTriedAgain: boolean;
    }
  /** No domain is affected: the certificate would have replaced one in use. */
  | { readonly kind: "putOffReplacement"; readonly certificate: Certificate; readonly isMade: boolean }
  /** One of several names is refused, and the provider does not say which one: others are tried without these. */
  | { readonly kind: "holdBack"; readonly domains: readonly Domain[]; readonly forget: Certificate }
  /** One of several names cannot be put on the distribution, and the provider does not say which one. */
  | {
      readonly kind: "attachOneByOne";
      readonly certificateId: string;
      readonly names: readonly string[];
    };

/** Decides what a refusal of `step` means. `step` is null if reading from the cloud was refused. Pure. */
export function decideRefusal(
  desired: Pick<DesiredGroup, "domains" | "certificates">,
  step: GroupStep | null,
  error: CloudError,
): RefusalStep {
  const code = codeOfCloudError(error);
  if (code === null) return { kind: "tryAgain" };
  const leaving = desired.domains.filter(({ isDesired }) => !isDesired);
  const waiting = desired.domains.filter(isWaiting);
  const fail = (domains: readonly Domain[], changes: Partial<RefusalStep & { kind: "fail" }> = {}) =>
    ({ kind: "fail", code, domains, abandon: null, forget: null, isTriedAgain: false, ...changes }) as const;

  if (error.kind === "denied") {
    const concerned = [...leaving, ...waiting];
    if (concerned.length === 0) return { kind: "tryAgain" };
    return fail(concerned, { isTriedAgain: leaving.length > 0 });
  }
  switch (step?.kind) {
    case "requestCertificate": {
      const { certificate } = step;
      if (certificate.isAbandoned) return fail([], { forget: certificate });
      const asked = waiting.filter(({ name }) => certificate.names.includes(name));
      if (asked.length === 0) return { kind: "putOffReplacement", certificate, isMade: false };
      // Names on a certificate that the provider accepted wait for that one.
      const accepted = desired.certificates.filter(
        ({ id, providerId, isAbandoned }) => id !== certificate.id && providerId !== null && !isAbandoned,
      );
      const concerned = asked.filter(({ name }) => !accepted.some(({ names }) => names.includes(name)));
      if (concerned.length === 0) return fail([], { forget: certificate, isTriedAgain: true });
      if (error.kind === "limit" || error.code === "FIRST_NAME_TOO_LONG")
        return fail(concerned, { forget: certificate });
      return concerned.length > 1
        ? { kind: "holdBack", domains: secondHalf(concerned), forget: certificate }
        : fail(concerned, { code: "Cloud:CERT:Error:FAILED", forget: certificate });
    }
    case "updateDistribution": {
      const { certificate, certificateId } = step;
      if (certificate === null || certificateId === null) {
        return leaving.length === 0
          ? { kind: "tryAgain" }
          : fail(leaving, { code: "Cloud:CDN:Error:NOT_READY", isTriedAgain: true });
      }
      const added = desired.domains.filter(({ name }) => step.added.includes(name));
      const isUnusable = error.code === "CERTIFICATE_UNUSABLE";
      if (added.length === 0)
        return isUnusable ? { kind: "putOffReplacement", certificate, isMade: true } : { kind: "tryAgain" };
      if (isOfOneName(error) && added.length > 1)
        return { kind: "attachOneByOne", certificateId, names: step.added };
      return fail(added, { abandon: isUnusable ? certificate : null });
    }
    default:
      return { kind: "tryAgain" };
  }
}

/** Whether another name may be accepted where an update of the distribution was refused. */
export function isOfOneName({ kind, code }: Pick<CloudError, "kind" | "code">): boolean {
  return (kind === "invalid" || kind === "limit") && code !== "CERTIFICATE_UNUSABLE";
}

/** Not served yet, and not in error. */
function isWaiting({ isDesired, status }: Domain): boolean {
  return isDesired && status !== "ATTACHED" && status !== "ERROR_ATTACHING";
}
