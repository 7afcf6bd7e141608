/** What a connection needs, may do, and costs: read before an account is connected. */
import { useMe } from "../api/permissions.ts";
import css from "./account-terms.module.css";

const SANDBOX = [
  ["Who", "You. The sandbox stands in for a cloud, and its stack takes one click."],
  ["Cost", "Nothing. Everything runs on the machine of the sandbox."],
] as const;

const HOST = [
  ["Who", "You. The account is this server itself: its edge serves your customers' domains."],
  [
    "Certificates",
    "A public certificate authority issues them as soon as a domain points here, or its verification record is set.",
  ],
  ["Cost", "Nothing beyond this server."],
] as const;

const AWS = [
  [
    "Who",
    "An administrator of the AWS account creates a CloudFormation stack, which makes roles. If that is not you, send the link of the next page.",
  ],
  [
    "Permissions",
    "A role that only this Slipway can use. It creates certificates, distributions, values and stacks, and changes nothing else. Delete the stack to take the role back.",
  ],
  [
    "Cost",
    "The connection costs nothing. AWS bills the account for what you deploy: builds, traffic, and for web services their instances and a load balancer of about $17 a month for each environment. A static site has only builds, files and traffic.",
  ],
] as const;

const TERMS = { sandbox: SANDBOX, host: HOST, aws: AWS } as const;

export function AccountTerms() {
  const { cloud } = useMe();
  return (
    <dl className={css["terms"]}>
      {TERMS[cloud].map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
