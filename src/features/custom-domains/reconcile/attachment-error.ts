import type { CloudError, CloudErrorCode } from "../../../cloud/cloud.ts";
import type { CaaRefusal } from "../../../dns/dns.ts";
import type { AttachmentError, AttachmentErrorCode } from "../custom-domain.ts";

type Words = { readonly message: string; readonly action: string; readonly retryable: boolean };

/**
 * The message and action for each failure. A code without them is a type error. If a retry without another change
 * cannot help, the action says so first, and `retryable` is false.
 */
const WORDS: Readonly<Record<AttachmentErrorCode, Words>> = {
  "Cloud:CERT:Error:VALIDATION_TIMEOUT": {
    message:
      "The certificate was not validated in time, because the provider did not find the verification record.",
    action:
      "Set the CERTIFICATE_DOMAIN_VERIFICATION record, or do what its lastPropagationCheckError says; then retry, which requests a new certificate.",
    retryable: true,
  },
  "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT": {
    message:
      "The group holds more domains than the provider's quota allows for one certificate (10 by default).",
    action:
      "Retrying without another change fails again. Before you retry, remove domains, raise the provider's quota for domain names per certificate, or put the domains in a new group.",
    retryable: false,
  },
  "Cloud:CERT:Error:CAA_BLOCKED": {
    message: "CAA records do not allow the provider to issue a certificate.",
    action:
      "Retrying without another change fails again. Before you retry, let the CAA records that govern the domain allow the provider.",
    retryable: false,
  },
  "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED": {
    message: "The provider does not issue certificates for this domain.",
    action:
      "Retrying without another change fails again. Before you retry, use another domain, or ask the provider's support to allow this one.",
    retryable: false,
  },
  "Cloud:CERT:Error:REQUEST_QUOTA_EXCEEDED": {
    message: "The cloud account has used up its certificate requests.",
    action:
      "Raise the provider's quota for certificate requests, or wait until older requests no longer count; then retry.",
    retryable: true,
  },
  "Cloud:CERT:Error:FAILED": {
    message: "The provider could not issue the certificate.",
    action: "Check the domain's DNS, then retry; a retry requests a new certificate.",
    retryable: true,
  },
  "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE": {
    message: "The domain is on another distribution of the provider, in this cloud account or another.",
    action:
      "Retrying without another change fails again. Before you retry, remove the domain there; Slipway never moves it automatically.",
    retryable: false,
  },
  "Cloud:CDN:Error:TOO_MANY_DOMAINS": {
    message: "The distribution has reached the provider's limit of domains.",
    action:
      "Retrying without another change fails again. Before you retry, remove domains, raise the provider's quota, or put the domain in a new group with its own distribution.",
    retryable: false,
  },
  "Cloud:CDN:Error:NOT_READY": {
    message: "The distribution could not be deployed.",
    action: "Retry. If the error persists, check the distribution in the cloud account.",
    retryable: true,
  },
  "Cloud:ACCOUNT:Error:ACCESS_DENIED": {
    message: "The cloud account's role does not allow this.",
    action:
      "Check the status of the cloud account connection, and update its stack or create it again. Slipway then continues automatically, or at once if you retry.",
    retryable: true,
  },
};

/** More exact messages for some refusals that share a code with others. */
const EXACT_WORDS: Partial<Readonly<Record<CloudErrorCode, Words>>> = {
  FIRST_NAME_TOO_LONG: {
    message:
      "A certificate needs one name of at most 64 characters, and all of the group's domains are longer.",
    action:
      "Retrying without another change fails again. Before you retry, add a shorter domain of yours to the group, such as this domain's parent.",
    retryable: false,
  },
  TOO_MANY_DISTRIBUTIONS: {
    message: "The cloud account's quota of distributions is used up.",
    action:
      "Retrying without another change fails again. Before you retry, remove distributions or raise the provider's quota for distributions.",
    retryable: false,
  },
};

/** @param cause the provider's refusal that caused it, if any */
export function attachmentError(
  code: AttachmentErrorCode,
  at: Date,
  cause: CloudErrorCode | null = null,
): AttachmentError {
  const exact = cause === null ? undefined : EXACT_WORDS[cause];
  return { code, ...WORDS[code], ...exact, occurredAt: at.toISOString() };
}

/** @param caa what the DNS says of the names of the certificate that failed */
export function caaError(name: string, caa: ReadonlyMap<string, CaaRefusal>, at: Date): AttachmentError {
  const error = attachmentError("Cloud:CERT:Error:CAA_BLOCKED", at);
  const own = caa.get(name);
  if (own !== undefined) {
    const shown = own.setAt === null ? "" : " dnsRecords has it as CERTIFICATE_AUTHORITY_AUTHORIZATION.";
    const action = `Retrying without another change fails again. Before you retry: ${own.action}${shown}`;
    return { ...error, message: own.message, action };
  }
  const [other] = caa;
  if (other === undefined)
    return {
      ...error,
      message:
        "When the provider looked, CAA records did not allow it to issue a certificate. Now Slipway finds none that refuses, or cannot read them.",
      action:
        "Retry. If it fails again, check the CAA records of the domain, of the names above it, and of the target of its CNAME.",
      retryable: true,
    };
  const [blocking, { message, action }] = other;
  return {
    ...error,
    message: `The certificate of the group must also cover ${blocking}, which is served already. ${message}`,
    action: `Add this domain to another group. Or, for ${blocking}: ${action} Then retry.`,
  };
}

/** What a refusal of the cloud means for the affected domains; null if it may pass. */
export function codeOfCloudError({
  kind,
  code,
}: Pick<CloudError, "kind" | "code">): AttachmentErrorCode | null {
  if (kind === "retryable" || kind === "gone") return null;
  if (kind === "denied") return "Cloud:ACCOUNT:Error:ACCESS_DENIED";
  switch (code) {
    case "CERTIFICATE_NAMES_LIMIT":
      return "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT";
    case "CERTIFICATE_REQUEST_QUOTA":
      return "Cloud:CERT:Error:REQUEST_QUOTA_EXCEEDED";
    case "FIRST_NAME_TOO_LONG":
      return "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED";
    case "ALIAS_IN_USE":
      return "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE";
    case "TOO_MANY_ALIASES":
      return "Cloud:CDN:Error:TOO_MANY_DOMAINS";
    case "CERTIFICATE_UNUSABLE":
      return "Cloud:CERT:Error:FAILED";
    default:
      return "Cloud:CDN:Error:NOT_READY";
  }
}
