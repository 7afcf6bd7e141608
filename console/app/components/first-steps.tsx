/** What a new organization does first: on the page of the projects, and at the end of each step. */
import type { ProjectRow } from "../../../sdk/src/generated/types.ts";
import { type Step, stepsOf } from "./decide-first-steps.ts";
import { read, useLater } from "../api/query.ts";
import { Section } from "../ui/layout.tsx";
import css from "./first-steps.module.css";
import { Link } from "./link.tsx";
import { Notice } from "./problem.tsx";

const SOME = { limit: 100 };

/** A domain that is served, if there is one; undefined until it is known. */
function useServed() {
  return useLater(read("domains", "list", { status: "ATTACHED", limit: 1 })).data?.domains;
}

/** The steps, until a domain is served; null after that, and until it is known. */
function useSteps(projects: readonly ProjectRow[] | undefined): readonly Step[] | null {
  const served = useServed();
  // Without a project, no domain can be served: the list of domains is not needed.
  const isNew = projects?.length === 0 || served?.length === 0;
  const isWanted = { isWanted: isNew };
  const accounts = useLater(read("awsAccounts", "list", SOME), isWanted).data?.awsAccounts;
  const git = useLater(read("gitIntegrations", "list", { limit: 1 }), isWanted).data?.gitIntegrations;
  return isNew && projects !== undefined ? stepsOf({ accounts, git, projects }) : null;
}

export function FirstSteps({ projects }: { readonly projects: readonly ProjectRow[] }) {
  const steps = useSteps(projects);
  if (steps === null) return null;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Section title="First steps">
      <ol className={css["steps"]}>
        {steps.map(({ words, to, isDone, waitsFor }, index) => (
          <li key={words} data-done={isDone} aria-current={index === next ? "step" : undefined}>
            <span aria-hidden="true" className={css["mark"]}>
              {isDone ? "✓" : index + 1}
            </span>
            {isDone ? (
              <span>
                {words} <small>done</small>
              </span>
            ) : waitsFor === null ? (
              <Link to={to}>{words}</Link>
            ) : (
              <span>
                {words} <small>{waitsFor}</small>
              </span>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/**
 * At the end of a step of a new organization: a link to the next one. Nothing while the step itself is not done. It
 * appears late, so it is the last thing of its page and moves nothing.
 */
export function NextStep({ after }: { readonly after: Step["id"] }) {
  const isWanted = { isWanted: useServed()?.length === 0 };
  const projects = useLater(read("overview", "listProjects", { limit: 50 }), isWanted).data?.projects;
  const steps = useSteps(projects);
  const isDone = steps?.find(({ id }) => id === after)?.isDone ?? false;
  const next = steps?.find((step) => !step.isDone);
  if (!isDone || next === undefined || next.waitsFor !== null) return null;
  return (
    <Notice title="Next step">
      <p>
        <Link to={next.to}>{next.words}</Link>
      </p>
    </Notice>
  );
}
