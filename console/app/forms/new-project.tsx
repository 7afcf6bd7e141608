/** A new project: from where, and how it is built and served, with its configuration beside it. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { AwsAccount, GitIntegration } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { initialValues, type ProjectValues, requestOf, type Source } from "../api/new-project.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { InputError, tellError } from "../api/problem.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { type Form, FormBox, useForm } from "../components/form.tsx";
import { LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CheckField } from "../ui/field.tsx";
import { Empty } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { ProjectFile } from "./new-project-file.tsx";
import css from "./new-project.module.css";
import { ProjectSettings } from "./new-project-settings.tsx";
import { chooseSource, ProjectSource, useRepository } from "./new-project-source.tsx";

export function NewProjectForm() {
  const { awsAccounts } = useRead(readAll("awsAccounts", "list", {}));
  const { may } = useCan("manage projects");
  const integrations = useLater(readAll("gitIntegrations", "list", {}), { isWanted: may });
  const gitIntegrations = integrations.data?.gitIntegrations ?? [];
  const isWithoutGit = may && integrations.data !== undefined && gitIntegrations.length === 0;
  return (
    <Page
      title="New project"
      crumbs={[["Projects", paths.projects()]]}
      lead="Choose a repository. Slipway looks at it and proposes how to build and serve it."
    >
      {awsAccounts.length === 0 ? (
        <Empty
          title="A project needs a cloud account to be deployed into."
          action={
            <LinkButton to={paths.newAccount()} look="primary">
              Connect a cloud account
            </LinkButton>
          }
        >
          Everything that Slipway deploys runs in an account of yours.
        </Empty>
      ) : isWithoutGit ? (
        <NoGit />
      ) : (
        <Fields
          // The choices start again once the integrations have been read.
          key={gitIntegrations[0]?.id ?? ""}
          awsAccounts={awsAccounts}
          integrations={gitIntegrations}
        />
      )}
    </Page>
  );
}

function NoGit() {
  const { may, reason } = useCan("manage git");
  return (
    <Empty
      title="A project needs git, so that Slipway can read its repository."
      action={
        may ? (
          <LinkButton to={paths.newGit()} look="primary">
            Connect git
          </LinkButton>
        ) : undefined
      }
    >
      {may ? "You need a token of your git host." : reason}
    </Empty>
  );
}

/** Used if the git host has not listed the branches. The server refuses a branch that does not exist. */
const USUAL_BRANCH = "main";

type Props = {
  readonly awsAccounts: readonly AwsAccount[];
  readonly integrations: readonly GitIntegration[];
};

function Fields({ awsAccounts, integrations }: Props) {
  const search = useSearch({ from: "/shell/projects/new" });
  const { cloud } = useMe();
  const { reason } = useCan("manage projects");
  const navigate = useNavigate();
  const [chosen, setChosen] = useState(() => chooseSource(search, awsAccounts, integrations, cloud));
  const { source, repositories, branches } = useRepository(chosen);
  const { repoUrl, branch, integrationId } = source;
  const isWanted = integrationId !== "" && repoUrl !== "";
  const detection = useLater(read("gitIntegrations", "detectFramework", integrationId, { repoUrl, branch }), {
    isWanted: isWanted && branch !== "",
    keepsPrevious: false,
  });
  const detected = { data: detection.data, error: branches.error ?? detection.error, isWanted };
  const form: Form<ProjectValues> = useForm({
    initial: initialValues(source, detected.data),
    submit: async (values: ProjectValues) => {
      const integration = integrations.find(({ id }) => id === integrationId);
      if (integration === undefined || values.repoUrl === "")
        throw new InputError([{ path: "/repoUrl", code: "REQUIRED", message: "Choose a repository." }]);
      return await slipway.projects.create(
        requestOf({ ...values, branch: values.branch || USUAL_BRANCH }, integration),
      );
    },
    refreshes: ["projects", "environments", "services", "overview"],
    onDone: async ({ id, repoUrl: address }, { isDeployed, branch: deployed }) => {
      if (!isDeployed) return await navigate({ to: paths.project(id) });
      try {
        const made = await slipway.deployments.create({
          repoUrl: address,
          branch: deployed || USUAL_BRANCH,
          filter: { projectId: id },
        });
        await navigate({ to: paths.deployment(made.id) });
      } catch (error) {
        const { title, cause } = tellError(error);
        toast(`The project was created, and not deployed. ${cause ?? title}`);
        await navigate({ to: paths.project(id) });
      }
    },
  });
  // The form starts with the source: fields that depend on it are filled again unless the user has edited them.
  const setSource = (changes: Partial<Source>): void => setChosen({ ...source, ...changes });
  return (
    <FormBox
      form={form}
      action="Create project"
      refusal={reason}
      isLong
      beside={<CheckField label="Deploy it now" {...form.field("isDeployed")} />}
    >
      <div className={css["columns"]}>
        <div className={css["main"]}>
          <ProjectSource {...{ form, awsAccounts, integrations, repositories, branches, setSource }} />
          <ProjectSettings form={form} detected={detected} />
        </div>
        <ProjectFile form={form} detected={detected} />
      </div>
    </FormBox>
  );
}
