/** Which variables are newer than the running version, and how it gets them. */
import type { ReactNode } from "react";
import type { Service } from "../../../sdk/src/generated/types.ts";
import { hasProcess } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { Row } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Link } from "./link.tsx";
import { Notice } from "./problem.tsx";
import { ApplyButton } from "./restart.tsx";

/** On a page of the service. @param props.environment its name */
export function PendingRedeployNotice({
  service,
  environment,
  children,
}: {
  readonly service: Service;
  readonly environment: string;
  /** The button that deploys, if it is not at the head of the page. */
  readonly children?: ReactNode;
}) {
  if (service.pendingRedeploy === null) return null;
  const { since, variables } = service.pendingRedeploy;
  const isOne = variables.length === 1;
  return (
    <Notice
      title={
        isOne
          ? "A variable is newer than the running version"
          : "Variables are newer than the running version"
      }
    >
      <p>
        {isOne ? "It" : "They"} changed after the running release was given its own (<When at={since} />
        ). Deploy {environment} to run with the new {isOne ? "value" : "values"}.
        {hasProcess(service)
          ? ` If only the running process reads ${isOne ? "it" : "them"}, apply ${isOne ? "it" : "them"} without a build.`
          : ""}
      </p>
      <ul>
        {variables.map(({ name, from, changedAt, isDeleted }) => (
          <li key={`${name} ${from}`}>
            <code>{name}</code>, of the {from}, {isDeleted ? "deleted" : "changed"} <When at={changedAt} />
          </li>
        ))}
      </ul>
      {children === undefined && !hasProcess(service) ? null : (
        <Row>
          {children}
          <ApplyButton service={service} />
        </Row>
      )}
    </Notice>
  );
}

/** On a page of the environment. @param props.environment its name */
export function OlderVariables({
  services,
  environment,
  children,
}: {
  readonly services: readonly Service[];
  readonly environment: string;
  readonly children?: ReactNode;
}) {
  const older = services.filter(({ pendingRedeploy }) => pendingRedeploy !== null);
  if (older.length === 0) return null;
  return (
    <Notice
      title={`${older.length === 1 ? "A service runs" : `${older.length} services run`} with older variables`}
    >
      <p>Deploy {environment} to run with the new values.</p>
      <ul>
        {older.map(({ id, name, pendingRedeploy }) => (
          <li key={id}>
            <Link to={paths.serviceVariables(id)}>{name}</Link>:{" "}
            {pendingRedeploy?.variables.map((variable, index) => (
              <span key={`${variable.name} ${variable.from}`}>
                {index === 0 ? "" : ", "}
                <code>{variable.name}</code>
              </span>
            ))}
          </li>
        ))}
      </ul>
      {children === undefined ? null : <Row>{children}</Row>}
    </Notice>
  );
}
