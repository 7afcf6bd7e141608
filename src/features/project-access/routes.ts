import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body, Nullable } from "../../http/schemas.ts";
import { orNotFound } from "../../lib/errors.ts";
import { RoleSchema } from "../users/views.ts";
import { lockEnvironment } from "../projects/commands.ts";
import { getProject } from "../projects/queries.ts";
import type { Deployers, Protection } from "../projects/project.ts";
import { LOCKED_PROJECT, PROJECTS_TAG as tag } from "../projects/routes.ts";
import {
  APPROVERS_MEANING,
  ApprovalHoursSchema,
  DEPLOYERS_MEANING,
  DeployersSchema,
  EnvironmentSchema,
  ProjectAccessSchema,
  ProjectSchema,
  viewEnvironment,
  viewProject,
} from "../projects/views.ts";
import { changeAccess, changeProtection, removeMember, setMember } from "./commands.ts";
import { members } from "./store.ts";
import { ProjectMemberSchema, viewMember } from "./views.ts";

const READ = { role: "viewer", scope: "read", tag } as const;
const ADMIN = { role: "admin", scope: "admin", tag } as const;

/** Over a weekend. */
const APPROVAL_HOURS = 72;

export function registerProjectAccessRoutes(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/projects/:projectId/members",
    ...READ,
    summary: "List the members of a project",
    query: Body(PAGE_QUERY),
    response: ListOf("projectMembers", ProjectMemberSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const { id } = await getProject(db, actor.organizationId, params.projectId);
      const rows = await members.list(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (member) => member.userId);
      return { projectMembers: items.map(viewMember), nextCursor };
    },
  });

  http.read({
    path: "/v1/projects/:projectId/members/:userId",
    ...READ,
    summary: "Get a member of a project",
    response: ProjectMemberSchema,
    watch: ({ params }) => [params.projectId, params.userId],
    handle: async ({ sql, actor, params }) => {
      const member = orNotFound(await members.find(sql, { organizationId: actor.organizationId, ...params }));
      return viewMember(member);
    },
  });

  http.write({
    method: "PUT",
    path: "/v1/projects/:projectId/members/:userId",
    precondition: LOCKED_PROJECT,
    ...ADMIN,
    operationId: "setProjectMember",
    sdk: "projects.setMember",
    summary: "Add a member to a project, or change the member's role",
    description:
      "Sets the user's role in the project, within 5 s. In a project with the access `organization`, this role counts if it is higher than the user's role in the organization. In a project with the access `members`, it is the user's role.",
    body: Body({ role: RoleSchema }),
    responses: { 200: ProjectMemberSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewMember(await setMember(tx, actor, params, body.role)),
    }),
  });

  http.write({
    method: "DELETE",
    path: "/v1/projects/:projectId/members/:userId",
    precondition: LOCKED_PROJECT,
    ...ADMIN,
    operationId: "removeProjectMember",
    sdk: "projects.removeMember",
    summary: "Remove a member from a project",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await removeMember(tx, actor, params);
      return { status: 204 };
    },
  });

  http.write({
    method: "PUT",
    path: "/v1/projects/:projectId/access",
    precondition: {
      ...LOCKED_PROJECT,
      shownAt: ({ projectId }) => ({ path: "/v1/projects/:projectId", params: { projectId } }),
    },
    ...ADMIN,
    operationId: "setProjectAccess",
    sdk: "projects.setAccess",
    summary: "Set the access to a project",
    description: "The change takes effect within 5 s.",
    body: Body({ access: ProjectAccessSchema }),
    responses: { 200: ProjectSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewProject(await changeAccess(tx, actor, params.projectId, body.access)),
    }),
  });

  http.write({
    method: "PATCH",
    path: "/v1/environments/:environmentId",
    precondition: {
      lock: async ({ tx, actor, params }) =>
        await lockEnvironment(tx, actor.organizationId, params.environmentId),
    },
    ...ADMIN,
    summary: "Protect an environment",
    description:
      "The change takes effect within 5 s. The name, branch and trigger are set in the configuration.",
    body: Body({
      protection: Body(
        {
          deployers: Type.Optional(At(DeployersSchema, DEPLOYERS_MEANING)),
          approval: Type.Optional(
            Nullable(
              Body(
                {
                  approvers: At(DeployersSchema, APPROVERS_MEANING),
                  timeoutHours: Type.Optional({ ...ApprovalHoursSchema, default: APPROVAL_HOURS }),
                },
                {
                  title: "ApprovalRuleChange",
                  description:
                    "Requires that a second person approves each deployment; null requires no approval.",
                },
              ),
            ),
          ),
        },
        {
          title: "ProtectionChange",
          description:
            "The roles that may change the environment's deployments, variables and domains. Omitted fields stay as they are.",
        },
      ),
    }),
    responses: { 200: EnvironmentSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewEnvironment(
        await changeProtection(tx, actor, params.environmentId, readProtection(body.protection)),
      ),
    }),
  });
}

function readProtection({
  deployers,
  approval,
}: {
  readonly deployers?: Deployers;
  readonly approval?: { readonly approvers: Deployers; readonly timeoutHours?: number } | null;
}): Partial<Protection> {
  const ofApproval =
    approval === undefined
      ? {}
      : approval === null
        ? { approvers: null, approvalHours: null }
        : { approvers: approval.approvers, approvalHours: approval.timeoutHours ?? APPROVAL_HOURS };
  return { ...(deployers === undefined ? {} : { deployers }), ...ofApproval };
}
