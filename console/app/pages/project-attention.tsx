import { Globe } from "lucide-react";
import type { ProjectRow, Service } from "../../../sdk/src/generated/types.ts";
import { ATTENTION_KINDS, describeAttention } from "../api/attention.ts";
import { serviceWithoutDomain } from "../api/next-step.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import { Badge } from "../ui/layout.tsx";
import { placeOfAttention } from "./attention-places.ts";
import css from "./project.module.css";

/** What needs attention, each with the page on which it is solved. Without any, the next step. */
export function ProjectAttention({
  project,
  services,
}: {
  readonly project: ProjectRow;
  readonly services: readonly Service[];
}) {
  const { attention, environments } = project;
  const next = serviceWithoutDomain(
    environments.filter(({ templateId }) => templateId === null),
    services,
  );
  if (attention.length === 0) return next === null ? null : <NextStep service={next} />;
  return (
    <ul className={css["attention"]} aria-label="Needs attention">
      {attention.map((one) => {
        const { text, tone, action } = describeAttention(one);
        const place = placeOfAttention(one, project);
        const environment = environments.find(({ id }) => id === one.environmentId);
        return (
          <li key={`${one.code} ${one.environmentId ?? ""}`}>
            <Badge tone={tone}>{ATTENTION_KINDS[tone]}</Badge>
            <Link {...place}>{text}</Link>
            {environment === undefined ? null : <small>{environment.name}</small>}
            <LinkButton
              {...place}
              size="small"
              label={`${action}: ${text}, ${environment?.name ?? project.name}`}
            >
              {action}
            </LinkButton>
          </li>
        );
      })}
    </ul>
  );
}

function NextStep({ service: { id, name } }: { readonly service: Pick<Service, "id" | "name"> }) {
  return (
    <p className={css["next"]}>
      <Icon of={Globe} />
      <span>
        Next step: <Link to={paths.newDomains(id)}>add a domain to {name}</Link>, so that visitors reach it at
        an address of your own.
      </span>
    </p>
  );
}
