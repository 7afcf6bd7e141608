import { paths } from "../paths.ts";

export type Place = { readonly words: string; readonly to: string; readonly covers: RegExp };

/** The places of the navigation and of the palette. */
export const PLACES: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  {
    title: "Work",
    places: [
      { words: "Projects", to: paths.projects(), covers: /^\/(?:projects|environments|services)\b/ },
      { words: "Deployments", to: paths.deployments(), covers: /^\/deployments\b/ },
      { words: "Domains", to: paths.domains(), covers: /^\/(?:domains|groups)\b/ },
    ],
  },
  {
    title: "Connections",
    places: [
      { words: "Cloud accounts", to: paths.accounts(), covers: /^\/accounts\b/ },
      { words: "Git", to: paths.git(), covers: /^\/git-integrations\b/ },
      { words: "Webhooks", to: paths.webhooks(), covers: /^\/webhooks\b/ },
    ],
  },
  {
    title: "Organization",
    places: [
      { words: "Users", to: paths.users(), covers: /^\/users\b/ },
      { words: "API keys", to: paths.keys(), covers: /^\/api-keys\b/ },
      { words: "Workload trusts", to: paths.trusts(), covers: /^\/workload-trusts\b/ },
      { words: "Sessions", to: paths.sessions(), covers: /^\/sessions\b/ },
      { words: "Audit", to: paths.audit(), covers: /^\/audit\b/ },
      { words: "Settings", to: paths.settings(), covers: /^\/settings\b/ },
    ],
  },
];
