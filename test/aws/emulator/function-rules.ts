/**
 * CloudFront's functions, which moto has only in part: a stage that is published, ETags, and none deleted that a
 * distribution uses.
 */
import { randomBytes } from "node:crypto";
import { type AwsAnswer, type AwsRequest, refusal } from "./request.ts";

const FUNCTIONS_QUOTA = 100;
const CODE_MAX_BYTES = 10_240;

type EdgeFunction = {
  readonly accountId: string;
  readonly name: string;
  etag: string;
  readonly code: string;
  isLive: boolean;
};

export type FunctionRules = {
  /** Null for what is not about functions. */
  answer(request: AwsRequest, accountId: string): AwsAnswer | null;
  /** All that there are, with their code. */
  list(): readonly { readonly name: string; readonly code: string }[];
  /** Whether an ARN is of a function that distributions may use. */
  isLive(functionArn: string): boolean;
};

export function createFunctionRules(isInUse: (functionArn: string) => boolean): FunctionRules {
  const functions = new Map<string, EdgeFunction>();
  const arnOf = ({ accountId, name }: Pick<EdgeFunction, "accountId" | "name">) =>
    `arn:aws:cloudfront::${accountId}:function/${name}`;
  const find = (accountId: string, name: string) => functions.get(arnOf({ accountId, name }));

  function summary(found: EdgeFunction): string {
    const stage = found.isLive ? "LIVE" : "DEVELOPMENT";
    return `<FunctionSummary><Name>${found.name}</Name><Status>UNASSOCIATED</Status><FunctionConfig><Comment></Comment><Runtime>cloudfront-js-2.0</Runtime></FunctionConfig><FunctionMetadata><FunctionARN>${arnOf(found)}</FunctionARN><Stage>${stage}</Stage><LastModifiedTime>2026-01-01T00:00:00Z</LastModifiedTime></FunctionMetadata></FunctionSummary>`;
  }
  const xml = (status: number, body: string, etag?: string): AwsAnswer => ({
    status,
    headers: { "content-type": "text/xml", ...(etag === undefined ? {} : { etag }) },
    body: Buffer.from(body === "" ? "" : `<?xml version="1.0"?>${body}`),
  });

  function create({ api, body }: AwsRequest, accountId: string): AwsAnswer {
    const text = body.toString();
    const name = /<Name>([^<]+)<\/Name>/.exec(text)?.[1] ?? "";
    const code = Buffer.from(/<FunctionCode>([^<]*)</.exec(text)?.[1] ?? "", "base64").toString();
    if (find(accountId, name) !== undefined)
      return refusal(api, 409, "FunctionAlreadyExists", "A function with the same name exists.");
    if (Buffer.byteLength(code) > CODE_MAX_BYTES)
      return refusal(api, 413, "FunctionSizeLimitExceeded", "The function is too large.");
    const own = [...functions.values()].filter((one) => one.accountId === accountId);
    if (own.length >= FUNCTIONS_QUOTA) return refusal(api, 400, "TooManyFunctions", "Too many functions.");
    const made = { accountId, name, code, etag: newEtag(), isLive: false };
    functions.set(arnOf(made), made);
    return xml(201, summary(made), made.etag);
  }

  function ofOne({ api, path, headers }: AwsRequest, accountId: string): AwsAnswer {
    const name = decodeURIComponent(/\/function\/([^/?]+)/.exec(path)?.[1] ?? "");
    const found = find(accountId, name);
    if (found === undefined) return refusal(api, 404, "NoSuchFunctionExists", "There is no such function.");
    if (api === "cloudfront:DescribeFunction") return xml(200, summary(found), found.etag);
    if (api === "cloudfront:GetFunction") {
      if (path.includes("Stage=LIVE") && !found.isLive)
        return refusal(api, 404, "NoSuchFunctionExists", "It is not published.");
      const type = { "content-type": "application/octet-stream", etag: found.etag };
      return { status: 200, headers: type, body: Buffer.from(found.code) };
    }
    if (headers["if-match"] !== found.etag)
      return refusal(api, 412, "InvalidIfMatchVersion", "The If-Match version is missing or not valid.");
    if (api === "cloudfront:PublishFunction") {
      found.isLive = true;
      return xml(200, summary(found));
    }
    if (isInUse(arnOf(found))) return refusal(api, 409, "FunctionInUse", "It is associated.");
    functions.delete(arnOf(found));
    return xml(204, "");
  }

  return {
    list: () => [...functions.values()].map(({ name, code }) => ({ name, code })),
    isLive: (arn) => functions.get(arn)?.isLive === true,
    answer(request, accountId) {
      const { api } = request;
      if (!/^cloudfront:\w+Functions?$/.test(api)) return null;
      if (api === "cloudfront:CreateFunction") return create(request, accountId);
      if (api !== "cloudfront:ListFunctions") return ofOne(request, accountId);
      const items = [...functions.values()].filter((one) => one.accountId === accountId).map(summary);
      return xml(
        200,
        `<FunctionList><MaxItems>100</MaxItems><Quantity>${items.length}</Quantity><Items>${items.join("")}</Items></FunctionList>`,
      );
    },
  };
}

function newEtag(): string {
  return `ETVP${randomBytes(5).toString("hex").toUpperCase()}`;
}
