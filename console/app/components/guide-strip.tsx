/** How far a new organization is, above each page, with a link to the next step. */
import { useRouterState } from "@tanstack/react-router";
import { ArrowRight, ExternalLink } from "lucide-react";
import { useCan, useMe } from "../api/permissions.ts";
import { siteUrlOf } from "../api/site-url.ts";
import { paths } from "../paths.ts";
import { buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Hidden } from "../ui/layout.tsx";
import { isPageOf, type Step } from "./decide-first-steps.ts";
import css from "./guide-strip.module.css";
import { LinkButton } from "./link.tsx";
import { type Guide, setGuideState, useGuide, useGuideState } from "./use-guide.ts";

export const GUIDE_TITLE = "Get started";

/** One line above each page while the steps are under way. Its room is kept from the start, so it moves nothing. */
export function GuideStrip() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isShown = useGuideState() === "begun" && path !== paths.home();
  const { guide, isFailed } = useGuide(isShown);
  if (!isShown) return null;
  return (
    <aside className={css["strip"]} aria-label={GUIDE_TITLE}>
      {guide === null ? null : <Progress guide={guide} path={path} />}
      {isFailed ? (
        <>
          <span className={css["words"]}>The next step could not be read.</span>
          <LinkButton size="small" to={paths.home()}>
            Go to Home
          </LinkButton>
        </>
      ) : null}
    </aside>
  );
}

function Progress({
  guide: { steps, done, next, served },
  path,
}: {
  readonly guide: Guide;
  readonly path: string;
}) {
  const isHere = next !== null && isPageOf(next, path);
  return (
    <>
      <span className={css["bars"]} aria-hidden="true">
        {steps.map(({ id, isDone }) => (
          <i key={id} data-done={isDone} />
        ))}
      </span>
      <span className={css["count"]}>
        <Hidden>{GUIDE_TITLE}: </Hidden>
        {done} of {steps.length}
        <Hidden> steps done.</Hidden>
      </span>
      <span className={css["words"]}>
        {next === null ? (
          `Your site is served at ${served ?? ""}`
        ) : (
          <>
            <strong>{isHere ? "Now" : "Next"}</strong> {next.title}
          </>
        )}
      </span>
      {next === null ? (
        served === null ? null : (
          <OpenSite host={served} isSmall />
        )
      ) : isHere ? null : (
        <StepLink step={next} isSmall />
      )}
    </>
  );
}

export function StepLink({
  step: { action, label, to },
  isSmall = false,
}: {
  readonly step: Step;
  readonly isSmall?: boolean;
}) {
  const { reason } = useCan(action);
  return (
    <LinkButton look="primary" size={isSmall ? "small" : "normal"} to={to} disabledReason={reason}>
      {label} {reason === null ? <Icon of={ArrowRight} size={14} /> : null}
    </LinkButton>
  );
}

/** Opens the served site, with which the first steps end. */
export function OpenSite({ host, isSmall = false }: { readonly host: string; readonly isSmall?: boolean }) {
  const { cloud, organization } = useMe();
  return (
    <a
      className={buttonClass("primary", isSmall ? "small" : "normal")}
      href={siteUrlOf(cloud, host)}
      target="_blank"
      rel="noopener"
      // After the browser has followed the link.
      onClick={() => setTimeout(() => setGuideState(organization.id, "finished"))}
    >
      Open your site <Icon of={ExternalLink} size={14} />
    </a>
  );
}
