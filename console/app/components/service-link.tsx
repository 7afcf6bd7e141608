/** A service by its name, with an icon of its type. */
import {
  Archive,
  AppWindow,
  CalendarClock,
  Cog,
  Database,
  Globe,
  Lock,
  type LucideIcon,
  Plug,
  RefreshCw,
  Server,
  Zap,
} from "lucide-react";
import type { Service, ServiceType } from "../../../sdk/src/generated/types.ts";
import { formatServiceType } from "../api/service-words.ts";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "./link.tsx";
import css from "./service-link.module.css";

export const SERVICE_ICONS: Readonly<Record<ServiceType, LucideIcon>> = {
  static: AppWindow,
  web: Server,
  "web-private": Lock,
  worker: Cog,
  scheduler: CalendarClock,
  external: Plug,
  previews: Globe,
  postgres: Database,
  mysql: Database,
  redis: Zap,
  bucket: Archive,
};

/** What a service is, as an icon with its words on hover and for screen readers. */
export function ServiceIcon({ type }: { readonly type: ServiceType }) {
  const words = formatServiceType(type);
  return (
    <span className={css["icon"]} role="img" aria-label={words} title={words}>
      <Icon of={SERVICE_ICONS[type]} />
    </span>
  );
}

type Props = {
  readonly service: Pick<Service, "id" | "name" | "type"> & Partial<Pick<Service, "pendingRedeploy">>;
};

export function ServiceLink({ service: { id, name, type, pendingRedeploy = null } }: Props) {
  return (
    <span className={css["service"]}>
      <ServiceIcon type={type} />
      <Link to={paths.service(id)} className={css["name"]}>
        {name}
      </Link>
      {pendingRedeploy === null ? null : (
        <span className={css["older"]} role="img" aria-label={OLDER} title={OLDER}>
          <Icon of={RefreshCw} size={14} />
        </span>
      )}
    </span>
  );
}

const OLDER = "Runs with older variables, until it is deployed again";
