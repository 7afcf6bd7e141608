import {
  Bell,
  Blocks,
  Cloud,
  FolderGit2,
  Globe,
  House,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Rocket,
  ScrollText,
  Settings,
  ShieldCheck,
  Stamp,
  Users,
  Webhook,
} from "lucide-react";
import { paths } from "../paths.ts";

export type Place = {
  readonly words: string;
  readonly to: string;
  readonly covers: RegExp;
  readonly icon: LucideIcon;
};

/** The places of the navigation and of the palette. */
export const PLACES: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  {
    title: "Work",
    places: [
      { words: "Home", icon: House, to: paths.home(), covers: /^\/$/ },
      {
        words: "Projects",
        icon: Blocks,
        to: paths.projects(),
        covers: /^\/(?:projects|environments|services|executions|snapshots)\b/,
      },
      { words: "Deployments", icon: Rocket, to: paths.deployments(), covers: /^\/deployments\b/ },
      { words: "Approvals", icon: Stamp, to: paths.approvals(), covers: /^\/approvals\b/ },
      { words: "Domains", icon: Globe, to: paths.domains(), covers: /^\/(?:domains|groups)\b/ },
    ],
  },
  {
    title: "Connections",
    places: [
      { words: "Cloud accounts", icon: Cloud, to: paths.accounts(), covers: /^\/accounts\b/ },
      { words: "Git", icon: FolderGit2, to: paths.git(), covers: /^\/git-integrations\b/ },
      { words: "Webhooks", icon: Webhook, to: paths.webhooks(), covers: /^\/webhooks\b/ },
      {
        words: "Notifications",
        icon: Bell,
        to: paths.notifications(),
        covers: /^\/notifications\b/,
      },
    ],
  },
  {
    title: "Organization",
    places: [
      { words: "Users", icon: Users, to: paths.users(), covers: /^\/users\b/ },
      { words: "API keys", icon: KeyRound, to: paths.keys(), covers: /^\/api-keys\b/ },
      { words: "Workload trusts", icon: ShieldCheck, to: paths.trusts(), covers: /^\/workload-trusts\b/ },
      { words: "Sessions", icon: MonitorSmartphone, to: paths.sessions(), covers: /^\/sessions\b/ },
      { words: "Audit", icon: ScrollText, to: paths.audit(), covers: /^\/audit\b/ },
      { words: "Settings", icon: Settings, to: paths.settings(), covers: /^\/settings\b/ },
    ],
  },
];
