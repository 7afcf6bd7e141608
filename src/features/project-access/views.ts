import { Type } from "typebox";
import { CreatedAt, Id, UpdatedAt, viewAs } from "../../http/schemas.ts";
import { RoleSchema } from "../users/views.ts";
import type { ProjectMember } from "./project-member.ts";

export const ProjectMemberSchema = Type.Object(
  {
    projectId: Id("proj", "The project."),
    userId: Id("user", "The user."),
    role: RoleSchema,
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "ProjectMember", description: "The role of a user in a project." },
);

export function viewMember(member: ProjectMember) {
  return viewAs(ProjectMemberSchema, member);
}
