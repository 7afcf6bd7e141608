/** One call of AWS's API as it came over the wire: which service and operation, by whom, with what. */
import type { IncomingMessage } from "node:http";

export type AwsRequest = {
  /** As IAM calls it: `acm:RequestCertificate`. */
  readonly api: string;
  readonly accessKeyId: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
};

export type AwsAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export async function readRequest(request: IncomingMessage): Promise<AwsRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const scope = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\//.exec(request.headers.authorization ?? "");
  const [, accessKeyId = "", region = "", service = ""] = scope ?? [];
  const { method = "", url = "" } = request;
  const api = `${service}:${operationOf(service, method, url, request.headers["x-amz-target"], body)}`;
  return { api, accessKeyId, region, method, path: url, headers: request.headers, body };
}

const REST: readonly (readonly [RegExp, string])[] = [
  [/^POST \/2020-05-31\/distribution\?WithTags/, "CreateDistribution"],
  [/^GET \/2020-05-31\/distribution\/[^/]+\/config$/, "GetDistributionConfig"],
  [/^PUT \/2020-05-31\/distribution\/[^/]+\/config$/, "UpdateDistribution"],
  [/^GET \/2020-05-31\/distribution\/[^/?]+$/, "GetDistribution"],
  [/^DELETE \/2020-05-31\/distribution\/[^/?]+$/, "DeleteDistribution"],
  [/^GET \/2020-05-31\/distribution(?:\?|$)/, "ListDistributions"],
  [/^POST \/2020-05-31\/distribution\/[^/]+\/invalidation$/, "CreateInvalidation"],
  [/^GET \/2020-05-31\/distribution\/[^/]+\/invalidation\/[^/?]+$/, "GetInvalidation"],
  [/^POST \/2020-05-31\/function$/, "CreateFunction"],
  [/^GET \/2020-05-31\/function(?:\?|$)/, "ListFunctions"],
  [/^GET \/2020-05-31\/function\/[^/]+\/describe(?:\?|$)/, "DescribeFunction"],
  [/^POST \/2020-05-31\/function\/[^/]+\/publish$/, "PublishFunction"],
  [/^GET \/2020-05-31\/function\/[^/?]+(?:\?|$)/, "GetFunction"],
  [/^DELETE \/2020-05-31\/function\/[^/?]+$/, "DeleteFunction"],
];

const ROUTE53_REST: typeof REST = [
  [/^GET \/2013-04-01\/hostedzonesbyname/, "ListHostedZonesByName"],
  [/^GET \/2013-04-01\/hostedzone\/[^/?]+$/, "GetHostedZone"],
  [/^GET \/2013-04-01\/hostedzone\/[^/?]+\/rrset/, "ListResourceRecordSets"],
  [/^POST \/2013-04-01\/hostedzone\/[^/?]+\/rrset/, "ChangeResourceRecordSets"],
];

/** With the bucket in the path, named as IAM names them. */
const S3_REST: typeof REST = [
  [/^PUT \/[^/?]+\/?(?:\?|$)/, "CreateBucket"],
  [/^GET \/[^/?]+\/?\?.*list-type=2/, "ListBucket"],
  [/^GET \/[^/?]+\/[^?]+/, "GetObject"],
  [/^PUT \/[^/?]+\/[^?]+/, "PutObject"],
  [/^DELETE \/[^/?]+\/[^?]+/, "DeleteObject"],
  [/^POST \/[^/?]+\/?\?delete/, "DeleteObject"],
];

function operationOf(
  service: string,
  method: string,
  url: string,
  target: string | string[] | undefined,
  body: Buffer,
): string {
  if (typeof target === "string") return target.slice(target.lastIndexOf(".") + 1);
  if (["sts", "cloudformation", "iam", "rds", "elasticache"].includes(service))
    return new URLSearchParams(body.toString()).get("Action") ?? "";
  if (service === "lambda") return "InvokeFunction";
  const rest = service === "s3" ? S3_REST : service === "route53" ? ROUTE53_REST : REST;
  const found = rest.find(([pattern]) => pattern.test(`${method} ${url}`));
  if (found === undefined) throw new Error(`The emulator does not know ${service} ${method} ${url}.`);
  return found[1];
}

/** The distribution's id in a request's path. */
export function distributionIdOf({ path }: AwsRequest): string {
  return /\/distribution\/([^/?]+)/.exec(path)?.[1] ?? "";
}

/** A refusal in the form of the service's protocol. */
export function refusal(api: string, status: number, code: string, message: string): AwsAnswer {
  const service = api.split(":", 1)[0];
  if (service === "s3") {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
    return { status, headers: { "content-type": "application/xml" }, body: Buffer.from(body) };
  }
  const ofXml = ["cloudfront", "sts", "cloudformation", "iam", "route53", "rds", "elasticache"];
  if (ofXml.includes(service ?? "")) {
    const body = `<?xml version="1.0"?><ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>emulator</RequestId></ErrorResponse>`;
    return { status, headers: { "content-type": "text/xml" }, body: Buffer.from(body) };
  }
  return {
    status,
    headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": code },
    body: Buffer.from(JSON.stringify({ __type: code, message })),
  };
}
