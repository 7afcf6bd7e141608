import { useState } from "react";
import type { Attention, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { ATTENTION_KINDS, describeAttention } from "../api/attention.ts";
import { Link, LinkButton } from "../components/link.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Fine, Quiet, Section } from "../ui/layout.tsx";
import { placeOfAttention } from "./attention-places.ts";
import css from "./home.module.css";

const SHOWN = 8;

type Item = { readonly project: ProjectRow; readonly one: Attention };

/** What a person should look at in all projects, the problems first, each with the page where it is solved. */
export function HomeAttention({
  projects,
  isPartial,
}: {
  readonly projects: readonly ProjectRow[];
  /** There are more projects than these. */
  readonly isPartial: boolean;
}) {
  const [isAll, setAll] = useState(false);
  const all: readonly Item[] = projects.flatMap((project) =>
    project.attention.map((one) => ({ project, one })),
  );
  const isProblem = ({ one }: Item) => describeAttention(one).tone === "bad";
  const items = [...all.filter(isProblem), ...all.filter((item) => !isProblem(item))];
  const shown = isAll ? items : items.slice(0, SHOWN);
  return (
    <Section title="Needs attention">
      <ul className={css["rows"]} aria-label="Needs attention">
        {shown.map(({ project, one }) => (
          <Row key={`${project.id} ${one.code} ${one.environmentId ?? ""}`} project={project} one={one} />
        ))}
        {items.length === 0 ? (
          <li>
            <span className={css["state"]}>
              <Badge tone="good">All well</Badge>
            </span>
            <Quiet>Nothing needs you.</Quiet>
          </li>
        ) : null}
      </ul>
      {shown.length < items.length ? (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            Show all {items.length}
          </Button>
        </div>
      ) : null}
      {isPartial ? (
        <Fine>
          These are of the first {projects.length} projects.{" "}
          <Link to={paths.projects()}>See all projects</Link>
        </Fine>
      ) : null}
    </Section>
  );
}

function Row({ project, one }: Item) {
  const { text, tone, action } = describeAttention(one);
  const place = placeOfAttention(one, project);
  const environment = project.environments.find(({ id }) => id === one.environmentId);
  const where = environment === undefined ? project.name : `${project.name} · ${environment.name}`;
  return (
    <li>
      <span className={css["state"]}>
        <Badge tone={tone}>{ATTENTION_KINDS[tone]}</Badge>
      </span>
      <span className={css["main"]}>
        <Link {...place}>{text}</Link>
      </span>
      <small className={css["where"]}>{where}</small>
      <LinkButton {...place} size="small" label={`${action}: ${text}, ${where}`}>
        {action}
      </LinkButton>
    </li>
  );
}
