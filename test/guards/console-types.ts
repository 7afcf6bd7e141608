/**
 * What the console reads of the API (`console/api-types.ts`) holds against what the API answers: the type checker, and
 * so `npm run check`, refuses a field that the API does not have or of which it says something else.
 */
import type { Static } from "typebox";
import type * as read from "../../console/api-types.ts";
import type { AwsAccountSchema, NewAwsAccountSchema } from "../../src/features/cloud-accounts/views.ts";
import type { DomainSchema } from "../../src/features/custom-domains/api/domain-views.ts";
import type { GroupSchema } from "../../src/features/custom-domains/api/group-views.ts";
import type { DeploymentDetailsSchema, DeploymentSchema } from "../../src/features/deployments/views.ts";
import type { LogsSchema } from "../../src/features/deployments/logs/views.ts";
import type { GitIntegrationSchema } from "../../src/features/git-integrations/views.ts";
import type {
  ApiKeySchema,
  AuditEntrySchema,
  CallerSchema,
  UserSchema,
} from "../../src/features/organizations/views.ts";
import type { EnvironmentSchema, ProjectSchema, ServiceSchema } from "../../src/features/projects/views.ts";
import type { EffectiveVariableSchema, EnvVariableSchema } from "../../src/features/variables/views.ts";
import type { RunStatusSchema } from "../../src/features/variables/run-views.ts";

/** `Read` is part of what `Answered` says. */
type Holds<Read, Answered extends Read> = [Read, Answered];

export type ConsoleTypes = [
  Holds<read.AwsAccount, Static<typeof AwsAccountSchema>>,
  Holds<read.AwsAccount, Static<typeof NewAwsAccountSchema>>,
  Holds<read.GitIntegration, Static<typeof GitIntegrationSchema>>,
  Holds<read.Project, Static<typeof ProjectSchema>>,
  Holds<read.Environment, Static<typeof EnvironmentSchema>>,
  Holds<read.Service, Static<typeof ServiceSchema>>,
  Holds<read.Deployment, Static<typeof DeploymentSchema>>,
  Holds<read.DeploymentDetails, Static<typeof DeploymentDetailsSchema>>,
  Holds<read.LogLine, Static<typeof LogsSchema>["lines"][number]>,
  Holds<read.Group, Static<typeof GroupSchema>>,
  Holds<read.Domain, Static<typeof DomainSchema>>,
  Holds<read.Variable, Static<typeof EnvVariableSchema>>,
  Holds<read.EffectiveVariable, Static<typeof EffectiveVariableSchema>>,
  Holds<read.RunStatus, Static<typeof RunStatusSchema>>,
  Holds<read.User, Static<typeof UserSchema>>,
  Holds<read.ApiKey, Static<typeof ApiKeySchema>>,
  Holds<read.Me, Static<typeof CallerSchema>>,
  Holds<read.AuditEntry, Static<typeof AuditEntrySchema>>,
];
