import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CloudError, type CloudErrorCode, type CloudErrorKind } from "../../cloud.ts";
import { isSessionError, isRegionUnavailable, toCloudError } from "./errors.ts";

/** As the SDK throws it: a name, and the status beside it. */
function sdkError(name: string, status?: number, message = "the provider's words"): Error {
  const error = new Error(message);
  error.name = name;
  return status === undefined ? error : Object.assign(error, { $metadata: { httpStatusCode: status } });
}

const TABLE: readonly [string, string, Error, CloudErrorKind, CloudErrorCode][] = [
  [
    "throttling of a JSON service",
    "acm:DescribeCertificate",
    sdkError("ThrottlingException", 400),
    "retryable",
    "THROTTLED",
  ],
  [
    "throttling of CloudFront",
    "cloudfront:GetDistribution",
    sdkError("Throttling", 400),
    "retryable",
    "THROTTLED",
  ],
  [
    "a status 429 of an unknown name",
    "acm:DescribeCertificate",
    sdkError("Slow", 429),
    "retryable",
    "THROTTLED",
  ],
  [
    "two writes of one parameter at a time",
    "ssm:PutParameter",
    sdkError("TooManyUpdates", 400),
    "retryable",
    "THROTTLED",
  ],
  [
    "ACM's quota, which is not throttling",
    "acm:RequestCertificate",
    sdkError("LimitExceededException", 400),
    "limit",
    "CERTIFICATE_REQUEST_QUOTA",
  ],
  [
    "Secrets Manager's quota",
    "secretsmanager:CreateSecret",
    sdkError("LimitExceededException", 400),
    "limit",
    "TOO_MANY_PARAMETERS",
  ],
  [
    "SSM's quota",
    "ssm:PutParameter",
    sdkError("ParameterLimitExceeded", 400),
    "limit",
    "TOO_MANY_PARAMETERS",
  ],
  [
    "an internal failure",
    "acm:RequestCertificate",
    sdkError("InternalFailure", 500),
    "retryable",
    "UNAVAILABLE",
  ],
  ["a 503 of an unknown name", "ssm:PutParameter", sdkError("Whatever", 503), "retryable", "UNAVAILABLE"],
  [
    "an HTML page in place of JSON",
    "ssm:PutParameter",
    sdkError("SyntaxError", 502),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "an answer of success that cannot be read",
    "acm:RequestCertificate",
    sdkError("SyntaxError", 200),
    "retryable",
    "UNAVAILABLE",
  ],
  ["a time-out", "acm:RequestCertificate", sdkError("TimeoutError"), "retryable", "TIMEOUT"],
  ["a call that was given up", "acm:RequestCertificate", sdkError("AbortError"), "retryable", "TIMEOUT"],
  [
    "a moved ETag",
    "cloudfront:UpdateDistribution",
    sdkError("PreconditionFailed", 412),
    "retryable",
    "STALE_ETAG",
  ],
  [
    "an ETag of the wrong form",
    "cloudfront:UpdateDistribution",
    sdkError("InvalidIfMatchVersion", 400),
    "retryable",
    "STALE_ETAG",
  ],
  [
    "a missing permission of a JSON service",
    "acm:RequestCertificate",
    sdkError("AccessDeniedException", 400),
    "denied",
    "ACCESS_DENIED",
  ],
  [
    "a missing permission of CloudFront",
    "cloudfront:GetDistribution",
    sdkError("AccessDenied", 403),
    "denied",
    "ACCESS_DENIED",
  ],
  [
    "an expired session",
    "ssm:PutParameter",
    sdkError("ExpiredTokenException", 400),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "a wrong clock",
    "ssm:PutParameter",
    sdkError("InvalidSignatureException", 400),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "a certificate that does not exist",
    "acm:DescribeCertificate",
    sdkError("ResourceNotFoundException", 400),
    "gone",
    "NOT_FOUND",
  ],
  [
    "a distribution that does not exist",
    "cloudfront:GetDistribution",
    sdkError("NoSuchDistribution", 404),
    "gone",
    "NOT_FOUND",
  ],
  [
    "a parameter that does not exist",
    "ssm:DeleteParameter",
    sdkError("ParameterNotFound", 400),
    "gone",
    "NOT_FOUND",
  ],
  [
    "a name on another distribution",
    "cloudfront:UpdateDistribution",
    sdkError("CNAMEAlreadyExists", 409),
    "invalid",
    "ALIAS_IN_USE",
  ],
  [
    "a certificate that CloudFront does not take",
    "cloudfront:UpdateDistribution",
    sdkError("InvalidViewerCertificate", 400),
    "invalid",
    "CERTIFICATE_UNUSABLE",
  ],
  [
    "too many aliases",
    "cloudfront:UpdateDistribution",
    sdkError("TooManyDistributionCNAMEs", 400),
    "limit",
    "TOO_MANY_ALIASES",
  ],
  [
    "too many distributions",
    "cloudfront:CreateDistribution",
    sdkError("TooManyDistributions", 400),
    "limit",
    "TOO_MANY_DISTRIBUTIONS",
  ],
  [
    "more services of previews than origins",
    "cloudfront:UpdateDistribution",
    sdkError("TooManyOrigins", 400),
    "limit",
    "TOO_MANY_ROUTES",
  ],
  [
    "a function that another worker has just deleted",
    "cloudfront:UpdateDistribution",
    sdkError("InvalidFunctionAssociation", 400),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "another of CloudFront's quotas",
    "cloudfront:CreateDistribution",
    sdkError("TooManyCacheBehaviors", 400),
    "limit",
    "UNKNOWN",
  ],
  [
    "a parameter of another kind at the place",
    "ssm:PutParameter",
    sdkError("HierarchyTypeMismatchException", 400),
    "invalid",
    "INVALID_REQUEST",
  ],
  [
    "a refusal of an unknown name",
    "acm:RequestCertificate",
    sdkError("InvalidParameterException", 400),
    "invalid",
    "INVALID_REQUEST",
  ],
  [
    "no connection",
    "acm:RequestCertificate",
    Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "a connection that was reset",
    "acm:RequestCertificate",
    Object.assign(new Error("no"), { code: "ECONNRESET" }),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "a reset, which the SDK names a time-out",
    "acm:RequestCertificate",
    Object.assign(sdkError("TimeoutError"), { code: "ECONNRESET" }),
    "retryable",
    "UNAVAILABLE",
  ],
  [
    "every address failing",
    "acm:RequestCertificate",
    new AggregateError([Object.assign(new Error("no"), { code: "ETIMEDOUT" })]),
    "retryable",
    "UNAVAILABLE",
  ],
];

describe("an error of AWS", () => {
  for (const [what, api, thrown, kind, code] of TABLE) {
    test(`${what} is ${kind}, ${code}`, () => {
      const error = toCloudError(api, thrown);
      assert.deepEqual([error.kind, error.code, error.operation], [kind, code, api]);
      assert.equal(error.cause, thrown, "the log needs the cause");
      assert.ok(!error.message.includes("the provider's words"), "a client reads only our words");
    });
  }

  test("a denial names the action that is missing", () => {
    const error = toCloudError("acm:DeleteCertificate", sdkError("AccessDeniedException", 400));
    assert.match(error.message, /acm:DeleteCertificate/);
  });

  test("a bug of our own is passed on unchanged", () => {
    const fault = new TypeError("x is not a function");
    assert.throws(() => toCloudError("acm:RequestCertificate", fault), fault);
  });

  test("a CloudError is passed on unchanged", () => {
    const error = new CloudError("gone", "NOT_FOUND", "acm:DescribeCertificate", "gone");
    assert.equal(toCloudError("acm:DescribeCertificate", error), error);
  });

  test("an unknown session is distinguished from a missing permission", () => {
    assert.ok(isSessionError(sdkError("UnrecognizedClientException", 400)));
    assert.ok(!isSessionError(sdkError("AccessDeniedException", 400)));
  });

  test("a region that does not exist or is not enabled is distinguished from a region that is down", () => {
    const met = (thrown: Error) => isRegionUnavailable(toCloudError("ssm:PutParameter", thrown));
    const failed = (code: string) => Object.assign(new Error("getaddrinfo"), { code });
    assert.ok(met(failed("ENOTFOUND")));
    assert.ok(met(sdkError("UnrecognizedClientException", 400)));
    assert.ok(!met(failed("EAI_AGAIN")));
    assert.ok(!met(failed("ECONNREFUSED")));
    assert.ok(!met(sdkError("ExpiredTokenException", 403)));
  });
});
