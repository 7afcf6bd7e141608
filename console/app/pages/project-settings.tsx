import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { Project, ProjectChange, ProjectPlan } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { readConfig } from "../api/config-text.ts";
import { tellField } from "../api/field-words.ts";
import { tellError } from "../api/problem.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { useWrite } from "../api/write.ts";
import { AbandonButton } from "../components/abandon.tsx";
import { ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { ProjectFrame } from "../components/project-frame.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Fine, Row, Section, Skeleton } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

const ConfigEditor = lazy(async () => ({
  default: (await import("../components/config-editor.tsx")).ConfigEditor,
}));

export function ProjectSettingsPage() {
  const { projectId } = useParams({ from: "/shell/projects/$projectId/settings" });
  const project = useRead(read("projects", "get", projectId));
  return (
    <ProjectFrame projectId={projectId}>
      <Section title="General">
        <Edit project={project} />
        <Fine>
          Created <When at={project.createdAt} />, changed <When at={project.updatedAt} />.
        </Fine>
      </Section>
      <Section title="Delete this project">
        <Delete project={project} />
      </Section>
    </ProjectFrame>
  );
}

function Edit({ project }: { readonly project: Project }) {
  const { reason } = useCan("manage projects", { projectId: project.id });
  const isFile = project.configType === "iac";
  const initial = {
    name: project.name,
    repoUrl: project.repoUrl,
    configFilePath: project.configFilePath ?? "",
    configFileBranch: project.configFileBranch ?? "",
    config: project.config === null ? "" : JSON.stringify(project.config, null, 2),
  };
  const changesOf = (values: typeof initial): ProjectChange => ({
    ...(values.name === initial.name ? {} : { name: values.name }),
    ...(values.repoUrl === initial.repoUrl ? {} : { repoUrl: values.repoUrl }),
    ...(values.configFilePath === initial.configFilePath ? {} : { configFilePath: values.configFilePath }),
    ...(values.configFileBranch === initial.configFileBranch
      ? {}
      : { configFileBranch: values.configFileBranch }),
    ...(values.config === initial.config ? {} : { config: readConfig(values.config) }),
  });
  const form = useForm({
    initial,
    submit: async (values) => await slipway.projects.update(project.id, changesOf(values)),
    refreshes: ["projects", "environments", "services"],
    onDone: () => {
      setPlanned(null);
      toast("Saved.");
    },
  });
  const plan = useWrite(
    async (values: typeof initial) => await slipway.projects.plan(project.id, changesOf(values)),
    { refreshes: [], onDone: (made) => setPlanned(made) },
  );
  const [planned, setPlanned] = useState<ProjectPlan | null>(null);
  return (
    <>
      <FormBox
        form={form}
        action="Save"
        refusal={reason}
        disabledReason={form.isDirty ? null : "Nothing is changed."}
        more={
          <Button
            isPending={plan.isPending}
            disabledReason={form.isDirty ? reason : "Nothing is changed."}
            onClick={() => plan.run(form.values)}
          >
            Show what would change
          </Button>
        }
      >
        <TextField label="Name" {...form.field("name")} />
        <TextField label="Repository" {...form.field("repoUrl")} />
        {isFile ? (
          <>
            <TextField label="File" {...form.field("configFilePath")} />
            <TextField label="Branch with the file" {...form.field("configFileBranch")} />
          </>
        ) : (
          <Suspense fallback={<Skeleton lines={18} label="Loading the editor" />}>
            <ConfigEditor
              label="Environments and services"
              {...form.field("config")}
              faults={form.error === null ? [] : tellError(form.error).faults}
            />
          </Suspense>
        )}
      </FormBox>
      {plan.error === null ? null : <Problem error={plan.error} />}
      {planned === null ? null : <Plan plan={planned} />}
    </>
  );
}

/** What a change would do, before it is made. */
function Plan({ plan }: { readonly plan: ProjectPlan }) {
  return (
    <Notice
      title={plan.isApplicable ? "This would change" : "These changes cannot be saved"}
      isBad={!plan.isApplicable}
    >
      <ul>
        {plan.refusals.map((refusal) => (
          <li key={`${refusal.code} ${refusal.message}`}>{refusal.message}</li>
        ))}
        {plan.fields.map((field) => (
          <li key={field}>{tellField(field)}</li>
        ))}
        {plan.environments.map(({ configId, change, services, notes }) => (
          <li key={configId}>
            Environment {configId}: {change.toLowerCase()}
            {services
              .filter((service) => service.change !== "UNCHANGED")
              .map((service) => `; service ${service.configId}: ${service.change.toLowerCase()}`)}
            {[
              ...notes,
              ...services.flatMap((service) => service.notes.map((note) => `${service.configId}: ${note}`)),
            ].map((note) => (
              <Fine key={note}>{note}</Fine>
            ))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Delete({ project }: { readonly project: Project }) {
  const { reason } = useCan("manage projects", { projectId: project.id });
  const { environments } = useRead(readAll("environments", "list", project.id, {}));
  const navigate = useNavigate();
  const names = environments.map(({ name }) => name).join(", ");
  return (
    <>
      <Fine>Deletes the project, and what Slipway made for it in the cloud account.</Fine>
      <Row>
        <ConfirmButton
          label="Delete the project"
          title={`Delete ${project.name}?`}
          consequences={[
            names === "" ? "It has no environments." : `Its environments are deleted: ${names}.`,
            "Their services stop, and their domains are no longer served.",
            "Variables, deployments and logs are deleted, and what was made in the cloud account.",
            "The repository and the cloud account stay.",
          ]}
          typed={environments.length === 0 ? undefined : project.name}
          action="Delete project"
          disabledReason={reason ?? (project.status === "DELETING" ? "It is being deleted." : null)}
          work={async () => await slipway.projects.delete(project.id)}
          refreshes={["projects"]}
          said="The deletion is requested."
          onDone={() => navigate({ to: paths.projects() })}
        />
        <AbandonButton
          awsAccountId={project.awsAccountId}
          what="the project"
          name={project.name}
          reason={reason}
          consequences={["Its variables, deployments, domains and logs are deleted here."]}
          work={() => slipway.projects.abandon(project.id)}
          refreshes={["projects", "overview"]}
          onDone={() => navigate({ to: paths.projects() })}
        />
      </Row>
    </>
  );
}
