// Made by `npm run sdk` from the OpenAPI document. Do not change it by hand.
import { AwsAccounts, Deployments, DomainGroups, Domains, Events, Executions, Projects, Services, Variables } from "../resources.ts";
import type { Transport } from "../transport.ts";
import { Admin, ApiKeys, AuditEntries, Environments, GitIntegrations, Jobs, Me, NotificationChannels, Organization, Overview, Previews, Search, Sessions, SignIn, Snapshots, System, Users, WebhookEndpoints, WorkloadTrusts } from "./resources.ts";

/** What a client has for each resource. */
export abstract class Resources {
  readonly admin: Admin;
  readonly apiKeys: ApiKeys;
  readonly auditEntries: AuditEntries;
  readonly awsAccounts: AwsAccounts;
  readonly deployments: Deployments;
  readonly domainGroups: DomainGroups;
  readonly domains: Domains;
  readonly environments: Environments;
  readonly events: Events;
  readonly executions: Executions;
  readonly gitIntegrations: GitIntegrations;
  readonly jobs: Jobs;
  readonly me: Me;
  readonly notificationChannels: NotificationChannels;
  readonly organization: Organization;
  readonly overview: Overview;
  readonly previews: Previews;
  readonly projects: Projects;
  readonly search: Search;
  readonly services: Services;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly snapshots: Snapshots;
  readonly system: System;
  readonly users: Users;
  readonly variables: Variables;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly workloadTrusts: WorkloadTrusts;

  constructor(transport: Transport) {
    this.admin = new Admin(transport);
    this.apiKeys = new ApiKeys(transport);
    this.auditEntries = new AuditEntries(transport);
    this.awsAccounts = new AwsAccounts(transport);
    this.deployments = new Deployments(transport);
    this.domainGroups = new DomainGroups(transport);
    this.domains = new Domains(transport);
    this.environments = new Environments(transport);
    this.events = new Events(transport);
    this.executions = new Executions(transport);
    this.gitIntegrations = new GitIntegrations(transport);
    this.jobs = new Jobs(transport);
    this.me = new Me(transport);
    this.notificationChannels = new NotificationChannels(transport);
    this.organization = new Organization(transport);
    this.overview = new Overview(transport);
    this.previews = new Previews(transport);
    this.projects = new Projects(transport);
    this.search = new Search(transport);
    this.services = new Services(transport);
    this.sessions = new Sessions(transport);
    this.signIn = new SignIn(transport);
    this.snapshots = new Snapshots(transport);
    this.system = new System(transport);
    this.users = new Users(transport);
    this.variables = new Variables(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.workloadTrusts = new WorkloadTrusts(transport);
  }
}
