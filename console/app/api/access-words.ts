/** Who sees a project and who may change what runs in its environments, in words. Pure. */
import type {
  ProjectAccess,
  ProjectMember,
  Protection,
  Role,
  User,
} from "../../../sdk/src/generated/types.ts";

/** The roles in a project with what they mean, for a choice. */
export const PROJECT_ROLE_CHOICES: readonly (readonly [Role, string])[] = [
  ["viewer", "Viewer: sees the project, and changes nothing"],
  ["developer", "Developer: deploys, and manages settings, variables and domains"],
  ["admin", "Admin: also manages members, access and protection"],
];

type Deployers = Protection["deployers"];

/** Who sees a project, for a choice. */
export const ACCESS_CHOICES: readonly (readonly [ProjectAccess, string])[] = [
  ["organization", "All users of the organization"],
  ["members", "Its members and the admins of the organization only"],
];

/** What a role of a member means beside that of the organization. */
export function formatAccess(access: ProjectAccess): string {
  return access === "organization"
    ? "All users of the organization see this project. A member has the role here, or the role in the organization if it is higher."
    : "Others do not find this project. Members have the role here, whatever their role in the organization.";
}

const DEPLOYERS: Readonly<Record<Deployers, string>> = {
  developer: "Developers and admins of the project",
  admin: "Admins of the project only",
};

/** The choices of roles that may change what runs in an environment. */
export const DEPLOYERS_CHOICES = Object.entries(DEPLOYERS);

/** The roles that may change what runs in an environment, in words. */
export function formatDeployers(deployers: Deployers): string {
  return DEPLOYERS[deployers];
}

/** The choices of roles that approve deployments of other users. The first choice asks for no approval. */
export const APPROVERS_CHOICES: readonly (readonly [Deployers | "", string])[] = [
  ["", "No approval: a deployment begins at once"],
  ["developer", "Another developer or admin of the project"],
  ["admin", "Another admin of the project"],
];

/** The roles that approve deployments to an environment, in words. */
export function formatApproval(approval: Protection["approval"]): string {
  const of = approval?.approvers ?? "";
  return APPROVERS_CHOICES.find(([choice]) => choice === of)?.[1] ?? of;
}

/** The name of a member; the id if the list of users does not have the user. */
export function nameOfMember({ userId }: Pick<ProjectMember, "userId">, users: readonly User[]): string {
  return users.find(({ id }) => id === userId)?.name ?? userId;
}
