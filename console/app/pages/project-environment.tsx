import { GitBranch, MapPin } from "lucide-react";
import type { EnvironmentRow, LastDeployment, Service } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { formatTrigger } from "../components/environment-frame.tsx";
import { Link } from "../components/link.tsx";
import { ServiceAddress, ServiceHealth } from "../components/service-health.tsx";
import { ServiceLink } from "../components/service-link.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import { Badge, Quiet } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import css from "./project.module.css";

/** More belong to the page of the environment. */
const SERVICES_MAX = 8;

/** An environment at a glance: whether it is live, what was deployed last, and its services. */
export function EnvironmentCard({
  environment,
  services,
}: {
  readonly environment: EnvironmentRow;
  readonly services: readonly Service[];
}) {
  const { id, name, region, source, state, lastDeployment, isTemplate } = environment;
  return (
    <article className={css["environment"]} aria-label={name}>
      <header className={css["head"]}>
        <h3>
          <Link to={paths.environment(id)}>{name}</Link>
        </h3>
        {isTemplate ? <Badge tone="calm">Template</Badge> : <Status of={state} />}
        <span className={css["facts"]}>
          <small title={formatTrigger(environment)}>
            <Icon of={GitBranch} size={13} /> {source.branch}
          </small>
          <small>
            <Icon of={MapPin} size={13} /> {region}
          </small>
        </span>
      </header>
      <p className={css["last"]}>
        {isTemplate ? (
          <Quiet>Previews of pull requests are made from it.</Quiet>
        ) : lastDeployment === null ? (
          <Quiet>Never deployed.</Quiet>
        ) : (
          <Last of={lastDeployment} />
        )}
      </p>
      <ul className={css["services"]} aria-label={`Services of ${name}`}>
        {services.slice(0, SERVICES_MAX).map((service) => (
          <li key={service.id}>
            <ServiceLink service={service} />
            <ServiceHealth service={service} />
            <span className={css["address"]}>
              <ServiceAddress service={service} />
            </span>
          </li>
        ))}
        {services.length > SERVICES_MAX ? (
          <li>
            <Link to={paths.environment(id)}>All {services.length} services</Link>
          </li>
        ) : null}
      </ul>
    </article>
  );
}

function Last({ of: deployment }: { readonly of: LastDeployment }) {
  return (
    <>
      {deployment.status === "SUCCESS" ? null : <Status of={deployment.status} />}
      <Link to={paths.deployment(deployment.id)} className={css["change"]}>
        {titleOfCommit(deployment)}
      </Link>
      <small>
        <code>{deployment.commit}</code> · <When at={deployment.createdAt} />
      </small>
    </>
  );
}
