/** Far beyond what one repository deploys; bounds the work of one request and of one page of the database. */
export const ENVIRONMENTS_PER_PROJECT_MAX = 20;
/** Previews of one template at the same time. */
export const PREVIEWS_MAX = 50;
export const SERVICES_PER_ENVIRONMENT_MAX = 100;
/** As many variables as one request to the variables' own endpoints may set. */
export const VARIABLES_PER_SCOPE_MAX = 500;
