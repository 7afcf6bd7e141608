/** Roles and who may assume them: IAM's rules, which moto lacks (it lets anyone assume anything). */
import { randomInt } from "node:crypto";
import { type AwsAnswer, type AwsRequest, refusal } from "./request.ts";

export type Role = { readonly roleArn: string; readonly accountId: string; readonly externalId: string };

export type Trust = {
  /**
   * A fresh account with a role that trusts one external id, or, as `StringLike` has it, all that a pattern with `*`
   * matches; null: it trusts every caller.
   */
  createRole(externalId: string | null): { accountId: string; roleArn: string };
  deleteRole(roleArn: string): void;
  /** Deletes it, and makes another in the same account that trusts the same, as a stack made again does. */
  replaceRole(roleArn: string): { accountId: string; roleArn: string };
  /** Whether Slipway's own user lacks the right to assume roles, as AWS says where it does say it. */
  refuseOwn(isRefused: boolean): void;
  /** Trusts again a role that was deleted. */
  restoreRole(roleArn: string): void;
  /** From now on every session that was given is not known. */
  expireSessions(): void;
  /** Takes an action from a role. */
  deny(roleArn: string, api: string): void;
  allow(roleArn: string, api: string): void;
  before(request: AwsRequest): AwsAnswer | null;
  after(request: AwsRequest, answer: AwsAnswer): void;
  accountOf(request: AwsRequest): string;
  /** The name of the caller's session; empty of a caller without one. */
  sessionNameOf(request: AwsRequest): string;
};

export function createTrust(): Trust {
  const roles = new Map<string, { accountId: string; externalId: string | null; isDeleted: boolean }>();
  const denials = new Set<string>();
  const roleByKey = new Map<string, string>();
  const nameByKey = new Map<string, string>();
  const expired = new Set<string>();
  let isOwnRefused = false;

  return {
    createRole(externalId) {
      const accountId = String(randomInt(1e11, 9e11));
      const roleArn = `arn:aws:iam::${accountId}:role/slipway-access`;
      roles.set(roleArn, { accountId, externalId, isDeleted: false });
      return { accountId, roleArn };
    },
    deleteRole(roleArn) {
      const role = roles.get(roleArn);
      if (role !== undefined) role.isDeleted = true;
    },
    replaceRole(roleArn) {
      const role = roles.get(roleArn);
      if (role === undefined) throw new Error(`There is no role ${roleArn}.`);
      role.isDeleted = true;
      const another = { accountId: role.accountId, roleArn: `${roleArn}-${roles.size}` };
      roles.set(another.roleArn, { ...role, isDeleted: false });
      return another;
    },
    refuseOwn(refused) {
      isOwnRefused = refused;
    },
    restoreRole(roleArn) {
      const role = roles.get(roleArn);
      if (role !== undefined) role.isDeleted = false;
    },
    expireSessions() {
      for (const key of roleByKey.keys()) expired.add(key);
    },
    deny: (roleArn, api) => void denials.add(`${roleArn} ${api}`),
    allow: (roleArn, api) => void denials.delete(`${roleArn} ${api}`),

    before(request) {
      const { api, accessKeyId, body } = request;
      if (api === "sts:AssumeRole") {
        const fields = new URLSearchParams(body.toString());
        const role = roles.get(fields.get("RoleArn") ?? "");
        if (isOwnRefused) {
          const why = "because no identity-based policy allows the sts:AssumeRole action";
          return refusal(
            api,
            403,
            "AccessDenied",
            `User is not authorized to perform: sts:AssumeRole ${why}`,
          );
        }
        const isTrusted =
          role?.isDeleted === false &&
          (role.externalId === null || isLike(fields.get("ExternalId"), role.externalId));
        if (isTrusted) return null;
        return refusal(api, 403, "AccessDenied", "User is not authorized to perform: sts:AssumeRole");
      }
      if (expired.has(accessKeyId)) {
        const code = speaksXml(api) || api.startsWith("sts:") ? "ExpiredToken" : "ExpiredTokenException";
        return refusal(api, 403, code, "The security token included in the request is expired");
      }
      const roleArn = roleByKey.get(accessKeyId) ?? "";
      if (roles.get(roleArn)?.isDeleted !== false || denials.has(`${roleArn} ${api}`)) {
        const code = speaksXml(api) ? "AccessDenied" : "AccessDeniedException";
        return refusal(api, speaksXml(api) ? 403 : 400, code, `not authorized to perform: ${api}`);
      }
      return api === "iam:SimulatePrincipalPolicy" ? simulation(request, denials) : null;
    },

    after({ api, body }, answer) {
      if (api !== "sts:AssumeRole" || answer.status !== 200) return;
      const key = /<AccessKeyId>([^<]+)</.exec(answer.body.toString())?.[1] ?? "";
      const fields = new URLSearchParams(body.toString());
      roleByKey.set(key, fields.get("RoleArn") ?? "");
      nameByKey.set(key, fields.get("RoleSessionName") ?? "");
    },

    accountOf: ({ accessKeyId }) => roles.get(roleByKey.get(accessKeyId) ?? "")?.accountId ?? "",
    sessionNameOf: ({ accessKeyId }) => nameByKey.get(accessKeyId) ?? "",
  };
}

/** `*` stands for any characters; a request without the key matches nothing. */
function isLike(text: string | null, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (text === null || rest.length === 0) return text === pattern;
  return text.startsWith(first) && text.endsWith(rest.at(-1) ?? "");
}

/** Services of the older protocols have other words and another status for the same. */
function speaksXml(api: string): boolean {
  return /^(?:cloudfront|cloudformation|s3|iam|route53):/.test(api);
}

/** IAM's answer, which moto does not have: all is allowed but what was taken from the role. */
function simulation({ body }: AwsRequest, denials: ReadonlySet<string>): AwsAnswer {
  const fields = new URLSearchParams(body.toString());
  const actions = [...fields].flatMap(([key, value]) => (key.startsWith("ActionNames.member.") ? value : []));
  const results = actions.map((action) => {
    const isDenied = denials.has(`${fields.get("PolicySourceArn") ?? ""} ${action}`);
    return `<member><MatchedStatements/><MissingContextValues/><EvalResourceName>${fields.get("ResourceArns.member.1") ?? ""}</EvalResourceName><EvalDecision>${isDenied ? "implicitDeny" : "allowed"}</EvalDecision><EvalActionName>${action}</EvalActionName></member>`;
  });
  const xml = `<SimulatePrincipalPolicyResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><SimulatePrincipalPolicyResult><IsTruncated>false</IsTruncated><EvaluationResults>${results.join("")}</EvaluationResults></SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`;
  return { status: 200, headers: { "content-type": "text/xml" }, body: Buffer.from(xml) };
}
