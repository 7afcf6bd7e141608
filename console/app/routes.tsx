/**
 * Every page: its path, what it reads before it is shown, and its file. A page is loaded with its data when the user is
 * about to open it. `test/console/every-page.browser.ts` opens each of them.
 */
import { createRoute, createRouter } from "@tanstack/react-router";
import { load, queryClient } from "./api/query.ts";
import { ErrorPage, NotFoundPage, PendingPage } from "./components/error-page.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { ORGANIZATION_ROUTES } from "./routes/organization.tsx";
import { OVERVIEW_ROUTES } from "./routes/overview.tsx";
import { PROJECT_ROUTES } from "./routes/projects.tsx";
import { root, shell } from "./routes/shell.tsx";

/** `to` is the address that the user requested before the sign-in. */
type SignInSearch = {
  readonly to?: string;
  /** The user has just signed in at an identity provider. */
  readonly isDone?: true;
  /** Why an identity provider's sign-in was refused, and where it is in the log. */
  readonly error?: string;
  readonly requestId?: string;
};

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ to, isDone, error, requestId }: Record<string, unknown>): SignInSearch => ({
    ...(typeof to === "string" && /^\/(?![/\\])/.test(to) ? { to } : {}),
    ...(isDone === true ? { isDone } : {}),
    ...(typeof error === "string" && /^[A-Z_]+$/.test(error) ? { error } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
  }),
  component: SignInPage,
});

/** Below the shell, so that it has the navigation. */
const nowhere = createRoute({ getParentRoute: () => shell, path: "$", component: NotFoundPage });

const pages = [...PROJECT_ROUTES, ...OVERVIEW_ROUTES, ...ORGANIZATION_ROUTES] as const;

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren([...pages, nowhere])]),
  basepath: "/console",
  context: {
    load: async (...reads) => await load(queryClient, reads),
    begin: (...reads) => void load(queryClient, reads).catch(() => undefined),
    get: async (one) => await queryClient.ensureQueryData(one),
  },
  defaultPreload: "intent",
  // The query cache knows what is old.
  defaultPreloadStaleTime: 0,
  defaultStaleTime: 0,
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- it is merged with the package's own
  interface Register {
    router: typeof router;
  }
}
