/** @import { Environment, Project, Service, View } from "../api-types.ts" */
import { link } from "./page.js";

/**
 * The path to an environment.
 * @param {View} view
 * @param {Environment} environment
 */
export async function crumbsOfEnvironment({ api, signal }, environment) {
  /** @type {Project} */
  const project = await api.get(`/v1/projects/${environment.projectId}`, signal);
  return [link("/projects", "Projects"), link(`/projects/${project.id}`, project.name)];
}

/**
 * The path to a service.
 * @param {View} view
 * @param {Service} service
 */
export async function crumbsOfService(view, service) {
  /** @type {Environment} */
  const environment = await view.api.get(`/v1/environments/${service.environmentId}`, view.signal);
  const above = await crumbsOfEnvironment(view, environment);
  return [...above, link(`/environments/${environment.id}`, environment.name)];
}
