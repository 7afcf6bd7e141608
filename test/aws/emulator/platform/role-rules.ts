/**
 * The function of the connection's stack that makes roles, as Slipway meets it. `stack.test.ts` runs the code of the
 * real function.
 */
import { type AwsAnswer, type AwsRequest, refusal } from "../request.ts";

export type RoleRules = {
  /** The names of the roles that exist in the account, sorted. */
  of(accountId: string): readonly string[];
  answer(request: AwsRequest, accountId: string): AwsAnswer | null;
};

type Asked = {
  readonly action?: string;
  readonly role: string;
  readonly environmentId?: string;
  readonly serviceId?: string;
  readonly region?: string;
};

const FORMS = [
  ["environmentId", /^env_[a-z0-9]{8,40}$/],
  ["serviceId", /^svc_[a-z0-9]{8,40}$/],
  ["region", /^[a-z]{2}(?:-[a-z]+)+-[0-9]$/],
] as const;

export function createRoleRules(): RoleRules {
  const roles = new Map<string, Set<string>>();

  return {
    of: (accountId) => [...(roles.get(accountId) ?? [])].sort(),
    answer({ api, path, body }, accountId) {
      if (api !== "lambda:InvokeFunction") return null;
      const connection = /\/slipway-roles-([^/]+)\//.exec(path)?.[1];
      if (connection === undefined)
        return refusal(api, 404, "ResourceNotFoundException", "Function not found");
      const asked = JSON.parse(body.toString()) as Asked;
      const wrong = FORMS.find(([key, form]) => asked[key] !== undefined && !form.test(asked[key]));
      if (wrong !== undefined) {
        const failed = { errorType: "ValueError", errorMessage: `This is no ${wrong[0]}.` };
        return json(failed, { "x-amz-function-error": "Unhandled" });
      }
      const name = `slipway-${asked.role}-${asked.role === "build" ? asked.serviceId : asked.environmentId}`;
      const known = roles.get(accountId) ?? new Set();
      roles.set(accountId, known);
      if (asked.action === "remove") {
        known.delete(name);
        return json({});
      }
      known.add(name);
      return json({ roleArn: `arn:aws:iam::${accountId}:role/slipway/${connection}/${name}` });
    },
  };
}

function json(value: object, headers: Record<string, string> = {}): AwsAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}
