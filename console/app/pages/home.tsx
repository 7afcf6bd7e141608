/** What needs a person, what was deployed, and whose turn it is with each domain. Until a site is served, the way there. */
import { useEffect } from "react";
import { useCan, useMe } from "../api/permissions.ts";
import { useRead } from "../api/query.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { FirstSteps } from "../components/first-steps.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Status } from "../components/status.tsx";
import {
  GUIDE_READS,
  RECENT_DEPLOYMENTS,
  setGuideState,
  useGuide,
  useGuideState,
} from "../components/use-guide.ts";
import { paths } from "../paths.ts";
import { Empty, Section, Skeleton } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { HomeAttention } from "./home-attention.tsx";
import { HomeDomains } from "./home-domains.tsx";
import css from "./home.module.css";

/** An organization with more is not new, even if it serves no domain. */
const NEW_PROJECTS_MAX = 5;

export function HomePage() {
  const { organization } = useMe();
  const { projects, nextCursor } = useRead(GUIDE_READS.projects);
  const { domains: served } = useRead(GUIDE_READS.served);
  const { may } = useCan("manage projects");
  const state = useGuideState();
  const isNew = served.length === 0 && projects.length <= NEW_PROJECTS_MAX;
  const isGuided = may && (state === "begun" || (state === null && isNew));
  const { guide } = useGuide(isGuided);
  useEffect(() => {
    if (isGuided && state === null) setGuideState(organization.id, "begun");
  }, [isGuided, state, organization.id]);
  return (
    <Page
      title="Home"
      actions={
        may && projects.length > 0 ? (
          <LinkButton to={paths.newProject()} look={isGuided ? "normal" : "primary"}>
            New project
          </LinkButton>
        ) : undefined
      }
    >
      {isGuided ? (
        <div className={css["guide"]}>
          {guide === null ? (
            <Skeleton lines={6} label="Loading the first steps" />
          ) : (
            <FirstSteps guide={guide} />
          )}
        </div>
      ) : null}
      {projects.length === 0 ? (
        isGuided ? null : (
          <NothingYet />
        )
      ) : (
        <>
          <HomeAttention projects={projects} isPartial={nextCursor !== null} />
          <div className={css["columns"]}>
            <Recent />
            <HomeDomains />
          </div>
        </>
      )}
    </Page>
  );
}

function NothingYet() {
  const { may, reason } = useCan("manage projects");
  return (
    <Empty
      title="Nothing is deployed yet"
      action={
        may ? (
          <LinkButton to={paths.newProject()} look="primary">
            Create a project
          </LinkButton>
        ) : undefined
      }
    >
      {may
        ? "Deployments, domains and what needs attention appear here once there is a project."
        : `Deployments and domains appear here once there is a project. ${reason ?? ""}`}
    </Empty>
  );
}

function Recent() {
  const { deployments } = useRead(RECENT_DEPLOYMENTS);
  return (
    <Section
      title="Recent deployments"
      actions={
        <Link to={paths.deployments()} className={css["all"]}>
          All deployments
        </Link>
      }
    >
      {deployments.length === 0 ? (
        <Empty title="No deployments yet">
          Open a project and deploy it: its newest commit is built, and released in your account.
        </Empty>
      ) : (
        <ul className={css["rows"]}>
          {deployments.map((deployment) => (
            <li key={deployment.id}>
              <span className={css["state"]}>
                <Status of={deployment.status} />
              </span>
              <span className={css["main"]}>
                <Link to={paths.deployment(deployment.id)}>{titleOfCommit(deployment)}</Link>
              </span>
              <small className={css["where"]}>
                {[deployment.projectName, ...deployment.environments.map(({ name }) => name)].join(" · ")}
              </small>
              <small>
                <When at={deployment.createdAt} />
              </small>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
