import type { ProjectRow } from "../../../sdk/src/generated/types.ts";
import { read, useLater } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Section } from "../ui/layout.tsx";
import css from "./first-steps.module.css";
import { Link } from "./link.tsx";

/** What a new organization does first, in order, with what is done already; nothing once all of it is. */
export function FirstSteps({ projects }: { readonly projects: readonly ProjectRow[] }) {
  const first = { limit: 1 };
  const isNew = !projects.some(({ environments }) =>
    environments.some(({ lastDeployment }) => lastDeployment?.status === "SUCCESS"),
  );
  const isWanted = { isWanted: isNew };
  const accounts = useLater(read("awsAccounts", "list", first), isWanted).data?.awsAccounts;
  const git = useLater(read("gitIntegrations", "list", first), isWanted).data?.gitIntegrations;
  if (!isNew) return null;
  const project = projects[0];
  const steps = [
    {
      words: "Connect a cloud account, which everything is deployed into",
      to: accounts?.[0] === undefined ? paths.newAccount() : paths.account(accounts[0].id),
      isDone: accounts?.some(({ status }) => status === "CONNECTED") ?? false,
    },
    {
      words: "Connect git, so that Slipway can read your repository",
      to: paths.newGit(),
      isDone: (git?.length ?? 0) > 0,
    },
    { words: "Create a project from the repository", to: paths.newProject(), isDone: project !== undefined },
    {
      words: "Deploy it",
      to: project === undefined ? paths.newProject() : paths.project(project.id),
      isDone: false,
    },
    { words: "Give it a domain of yours", to: paths.domains(), isDone: false },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Section title="First steps">
      <ol className={css["steps"]}>
        {steps.map(({ words, to, isDone }, index) => (
          <li key={words} data-done={isDone} aria-current={index === next ? "step" : undefined}>
            <span aria-hidden="true" className={css["mark"]}>
              {isDone ? "✓" : index + 1}
            </span>
            {isDone ? (
              <span>
                {words} <small>done</small>
              </span>
            ) : (
              <Link to={to}>{words}</Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
