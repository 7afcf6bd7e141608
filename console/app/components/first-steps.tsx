/** What a new organization does first: all steps, with what the next one needs. */
import { Check } from "lucide-react";
import { useMe } from "../api/permissions.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Hidden, Quiet } from "../ui/layout.tsx";
import { AccountTerms } from "./account-terms.tsx";
import css from "./first-steps.module.css";
import { GUIDE_TITLE, OpenSite, StepLink } from "./guide-strip.tsx";
import { OwnAccount } from "./own-account.tsx";
import { SiteNote } from "./site-link.tsx";
import { type Guide, setGuideState } from "./use-guide.ts";

export function FirstSteps({ guide }: { readonly guide: Guide }) {
  const { organization, cloud } = useMe();
  const { steps, done, next, served } = guide;
  return (
    <section className={css["guide"]} aria-label={GUIDE_TITLE}>
      <div className={css["head"]}>
        <h2>{GUIDE_TITLE}</h2>
        <Quiet>
          {done} of {steps.length} done
        </Quiet>
        <Button look="plain" size="small" onClick={() => setGuideState(organization.id, "finished")}>
          Hide these steps
        </Button>
      </div>
      <div className={css["body"]}>
        <ol className={css["steps"]}>
          {steps.map((step, index) => (
            <li
              key={step.id}
              data-done={step.isDone}
              aria-current={step.id === next?.id ? "step" : undefined}
            >
              <span aria-hidden="true" className={css["mark"]}>
                {step.isDone ? <Icon of={Check} size={13} /> : index + 1}
              </span>
              <span>
                {step.title}
                {step.isDone ? <Hidden>, done</Hidden> : null}
              </span>
            </li>
          ))}
        </ol>
        <div className={css["next"]}>
          {next === null ? (
            served === null ? null : (
              <>
                <h3>Your site is served at {served}</h3>
                <p>Open it. Everything that needs you from now on is on this page.</p>
                <OpenSite host={served} />
                <SiteNote />
              </>
            )
          ) : (
            <>
              <h3>{next.title}</h3>
              <p>{next.text}</p>
              {next.id === "account" ? <AccountTerms /> : null}
              {cloud !== "aws" && next.to === paths.newAccount() ? (
                <OwnAccount cloud={cloud} />
              ) : (
                <StepLink step={next} />
              )}
            </>
          )}
        </div>
      </div>
    </section>
  );
}
