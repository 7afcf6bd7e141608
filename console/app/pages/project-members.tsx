import { useParams } from "@tanstack/react-router";
import type { Project, ProjectAccess, ProjectMember, Role } from "../../../sdk/src/generated/types.ts";
import { ACCESS_CHOICES, nameOfMember, PROJECT_ROLE_CHOICES, formatAccess } from "../api/access-words.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, readPages, useList, useRead } from "../api/query.ts";
import { formatRole } from "../api/user-rules.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { ProjectFrame } from "../components/project-frame.tsx";
import { paths } from "../paths.ts";
import { ComboField, SelectField } from "../ui/field.tsx";
import { Empty, Fine, Section, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

/** The members of a project with their roles, and who sees the project. */
export function ProjectMembersPage() {
  const { projectId } = useParams({ from: "/shell/projects/$projectId/members" });
  const project = useRead(read("projects", "get", projectId));
  const { reason } = useCan("manage members", { projectId });
  return (
    <ProjectFrame projectId={projectId}>
      <Section title="Members">
        <Members project={project} reason={reason} />
      </Section>
      <Section title="Give a role">
        <RoleForm project={project} reason={reason} />
      </Section>
      <Section title="Access">
        <AccessForm key={project.access} project={project} reason={reason} />
      </Section>
    </ProjectFrame>
  );
}

type Props = { readonly project: Project; readonly reason: string | null };

function useUsers() {
  return useRead(readAll("users", "list", {})).users;
}

function Members({ project, reason }: Props) {
  const users = useUsers();
  const list = useList(readPages("projects", "listMembers", project.id, {}), "projectMembers");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={4} label="Loading the members" />;
  if (list.items.length === 0)
    return (
      <Empty title="No members">
        {project.access === "organization"
          ? "All users have their role of the organization here. Give a user another role below."
          : "Only admins of the organization see this project. Give a user a role below."}
      </Empty>
    );
  return (
    <Table
      caption="Members"
      rows={list.items}
      keyOf={({ userId }) => userId}
      more={moreOf(list)}
      columns={[
        {
          label: "Name",
          cell: (member) => <Link to={paths.user(member.userId)}>{nameOfMember(member, users)}</Link>,
        },
        { label: "Role here", isShort: true, cell: ({ role }) => formatRole(role) },
        { label: "Since", isShort: true, cell: ({ updatedAt }) => <When at={updatedAt} /> },
        {
          label: "",
          cell: (member) => (
            <RemoveButton
              project={project}
              member={member}
              name={nameOfMember(member, users)}
              reason={reason}
            />
          ),
        },
      ]}
    />
  );
}

function RemoveButton({
  project,
  member,
  name,
  reason,
}: Props & { readonly member: ProjectMember; readonly name: string }) {
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${name}`}
      size="small"
      disabledReason={reason}
      title={`Remove ${name} from ${project.name}?`}
      consequences={[
        project.access === "organization"
          ? `${name} has the role of the organization here again.`
          : `${name} no longer finds this project, unless as an admin of the organization.`,
      ]}
      action="Remove"
      work={() => slipway.projects.removeMember(project.id, member.userId)}
      refreshes={["projects", "me"]}
      said="Removed. It is in effect within five seconds."
    />
  );
}

function RoleForm({ project, reason }: Props) {
  const users = useUsers();
  const form = useForm({
    initial: { userId: "", role: "viewer" },
    submit: ({ userId, role }) => slipway.projects.setMember(project.id, userId, { role: role as Role }),
    refreshes: ["projects", "me"],
    beginsAnew: true,
    onDone: () => toast("Saved. It is in effect within five seconds."),
  });
  return (
    <FormBox
      form={form}
      action="Give role"
      refusal={reason}
      disabledReason={form.values.userId === "" ? "Choose a user first." : null}
    >
      <ComboField
        label="User"
        options={users.map(({ id, name, email }) => ({ value: id, label: name, detail: email ?? "" }))}
        placeholder="Choose a user"
        hint="A member gets this role in place of the one before."
        {...form.field("userId")}
      />
      <SelectField label="Role in this project" options={PROJECT_ROLE_CHOICES} {...form.field("role")} />
    </FormBox>
  );
}

function AccessForm({ project, reason }: Props) {
  const initial: { readonly access: string } = { access: project.access };
  const form = useForm({
    initial,
    submit: ({ access }) => slipway.projects.setAccess(project.id, { access: access as ProjectAccess }),
    refreshes: ["projects", "overview", "me"],
    onDone: () => toast("Saved. It is in effect within five seconds."),
  });
  return (
    <FormBox
      form={form}
      action="Save"
      refusal={reason}
      disabledReason={form.isDirty ? null : "Nothing is changed."}
    >
      <SelectField label="Who sees this project" options={ACCESS_CHOICES} {...form.field("access")} />
      <Fine>{formatAccess(form.values.access as ProjectAccess)}</Fine>
    </FormBox>
  );
}
